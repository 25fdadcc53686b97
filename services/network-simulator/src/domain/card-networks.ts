import { networkOf } from '@gateway/contracts'

/** Sandbox ranges of debit cards. All cards of Maestro are debit cards, too. */
const DEBIT = /^(?:400005|520082|652150)/u

/** The network's name; `undefined` for a number of an unknown network. */
export function cardNetwork(number: string): string | undefined {
  return networkOf(number)?.name
}

/** Credit or debit, as the card's issuer reports it. The gateway and the shopper may not know. */
export function cardMethod(number: string): 'credit_card' | 'debit_card' {
  return DEBIT.test(number) || networkOf(number)?.id === 'maestro' ? 'debit_card' : 'credit_card'
}

/** The only description of a card that may be stored: `Visa ending in 1111`. */
export function describeCard(number: string): string {
  return `${cardNetwork(number) ?? 'Card'} ending in ${number.slice(-4)}`
}
