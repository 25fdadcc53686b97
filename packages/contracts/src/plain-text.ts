/**
 * Text that a person can read: no control characters, none that reverse the reading direction (Unicode UAX #9, overrides and isolates),
 * no half of a surrogate pair. Joiners are allowed, since Indic scripts need them. Also runs in the page.
 */
export function isPlainText(text: string): boolean {
  return !/[\p{Cc}\p{Cs}\u202A-\u202E\u2066-\u2069]/u.test(text)
}

/** Replaces the digits of every script, such as Devanagari or full-width ones, with ASCII digits. Also runs in the page. */
export function asciiDigits(text: string): string {
  return text.replace(/\p{Nd}/gu, (digit) => {
    // Unicode lists the ten digits of a script in order, sometimes several scripts in a row.
    const code = digit.codePointAt(0) ?? 0
    let first = code
    while (/^\p{Nd}$/u.test(String.fromCodePoint(first - 1))) first -= 1
    return String((code - first) % 10)
  })
}
