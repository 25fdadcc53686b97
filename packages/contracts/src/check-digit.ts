/** True when the check digit of a card number is right (ISO/IEC 7812-1, annex B: "Luhn"). `digits` holds only digits. */
export function hasValidCheckDigit(digits: string): boolean {
  let sum = 0
  for (let fromRight = 0; fromRight < digits.length; fromRight++) {
    const digit = digits.charCodeAt(digits.length - 1 - fromRight) - 48
    const weighted = fromRight % 2 === 0 ? digit : digit * 2
    sum += weighted > 9 ? weighted - 9 : weighted
  }
  return digits.length > 1 && sum % 10 === 0
}
