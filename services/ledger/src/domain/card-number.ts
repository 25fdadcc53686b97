const CARD = /^\d{13,19}$/u

/** True for digits that could be a card number (ISO/IEC 7812-1, check digit "Luhn"), with or without spaces and hyphens. */
export function looksLikeCard(text: string): boolean {
  const digits = text.replace(/[ -]/gu, '')
  if (!CARD.test(digits)) return false
  const sum = Array.from(digits)
    .toReversed()
    .reduce((total, digit, index) => {
      const value = Number(digit) * (index % 2 === 0 ? 1 : 2)
      return total + (value > 9 ? value - 9 : value)
    }, 0)
  return sum % 10 === 0
}

/** True when a part of the text could be a card number. */
export function holdsCard(text: string): boolean {
  return (text.match(/\d(?:[ -]?\d){12,18}/gu) ?? []).some(looksLikeCard)
}
