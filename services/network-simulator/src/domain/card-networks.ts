/**
 * Card networks by their number ranges, as far as the sandbox needs them. The first match wins.
 * Source: ISO/IEC 7812-1 issuer identification numbers, as the networks publish their ranges.
 */
const CARD_NETWORKS: readonly (readonly [RegExp, string])[] = [
  [/^4/u, 'Visa'],
  [/^(?:5[1-5]|2[2-7])/u, 'Mastercard'],
  [/^3[47]/u, 'American Express'],
  [/^3(?:0[0-5]|[689])/u, 'Diners Club'],
  [/^(?:60|65|81|82|508|353|356)/u, 'RuPay'],
  [/^(?:5018|5020|5038|5893|6304|6759|676[1-3])/u, 'Maestro'],
]

/** Sandbox ranges of debit cards. All Maestro cards are debit cards. */
const DEBIT = /^(?:400005|520082|652150|5018|5020|5038|5893|6304|6759|676[1-3])/u

/** The network of a card number; `undefined` when it is unknown. */
export function cardNetwork(number: string): string | undefined {
  return CARD_NETWORKS.find(([range]) => range.test(number))?.[1]
}

/** Credit or debit, as the card's issuer reports it. The gateway and the shopper may not know. */
export function cardMethod(number: string): 'credit_card' | 'debit_card' {
  return DEBIT.test(number) ? 'debit_card' : 'credit_card'
}

/** The only description of a card that may be stored: `Visa ending in 1111`. */
export function describeCard(number: string): string {
  return `${cardNetwork(number) ?? 'Card'} ending in ${number.slice(-4)}`
}
