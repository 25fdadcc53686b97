/**
 * Card networks by their number ranges, as far as a sandbox needs to tell them apart; the first that fits counts.
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

/** Ranges of the sandbox whose issuers say that they are debit cards. Maestro has no other. */
const DEBIT = /^(?:400005|520082|652150|5018|5020|5038|5893|6304|6759|676[1-3])/u

/** `undefined` for a number of no network that is known here. */
export function cardNetwork(number: string): string | undefined {
  return CARD_NETWORKS.find(([range]) => range.test(number))?.[1]
}

/** What the issuer knows of its card, and whoever typed the number may not: it is in every report. */
export function cardMethod(number: string): 'credit_card' | 'debit_card' {
  return DEBIT.test(number) ? 'debit_card' : 'credit_card'
}

/** All that may be kept of a card: `Visa ending in 1111`. */
export function describeCard(number: string): string {
  return `${cardNetwork(number) ?? 'Card'} ending in ${number.slice(-4)}`
}
