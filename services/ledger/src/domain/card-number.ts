import { hasValidCheckDigit } from '@gateway/contracts'

const CARD = /^\d{13,19}$/u

/** True for digits that could be a card number (ISO/IEC 7812-1, check digit "Luhn"), with or without spaces and hyphens. */
export function looksLikeCard(text: string): boolean {
  const digits = text.replace(/[ -]/gu, '')
  return CARD.test(digits) && hasValidCheckDigit(digits)
}

/** True when a part of the text could be a card number. */
export function holdsCard(text: string): boolean {
  return (text.match(/\d(?:[ -]?\d){12,18}/gu) ?? []).some(looksLikeCard)
}
