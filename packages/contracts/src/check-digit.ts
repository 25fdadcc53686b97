/** True when the check digit of a card number is right (ISO/IEC 7812-1, annex B: "Luhn"). `digits` holds only digits. */
export function hasValidCheckDigit(digits: string): boolean {
  const sum = Array.from(digits)
    .reverse()
    .reduce((total, digit, index) => total + weighted(Number(digit), index), 0)
  return digits.length > 1 && sum % 10 === 0
}

function weighted(digit: number, indexFromRight: number): number {
  if (indexFromRight % 2 === 0) return digit
  return digit > 4 ? digit * 2 - 9 : digit * 2
}
