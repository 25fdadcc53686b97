/**
 * Text that a person can read: no control characters, none that reverse the reading direction (Unicode UAX #9, overrides and isolates),
 * no half of a surrogate pair. Joiners are allowed, since Indic scripts need them. Also runs in the page.
 */
export function isPlainText(text: string): boolean {
  return !/[\p{Cc}\p{Cs}\u202A-\u202E\u2066-\u2069]/u.test(text)
}
