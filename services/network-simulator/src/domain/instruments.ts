import type { NetworkOutcome } from '@gateway/contracts'

/** What a UPI payment does, chosen by the part of the VPA before `@sandbox`. */
export const UPI_SCENARIOS = [
  'success',
  'failure',
  'slow',
  'pending',
  'duplicate',
  'reordered',
  'mismatch',
  'late',
  'silent',
  'twice',
] as const
export type UpiScenario = (typeof UPI_SCENARIOS)[number]

/** How the network answers when it is asked to reverse a capture. */
export type ReversalBehaviour = 'at_once' | 'takes_a_while' | 'refused'

export interface UpiBehaviour {
  readonly scenario: UpiScenario
  readonly reversal: ReversalBehaviour
}

const REVERSALS: Readonly<Record<string, ReversalBehaviour>> = { 'slow-reversal': 'takes_a_while', 'refused-reversal': 'refused' }

/**
 * `late@sandbox` pays late; `late.refused-reversal@sandbox` too, and then refuses to give the money back.
 * Every other VPA pays successfully.
 */
export function upiBehaviour(vpa: string): UpiBehaviour {
  const [, local = ''] = /^(.*)@sandbox$/iu.exec(vpa) ?? []
  const [name = '', modifier = ''] = local.toLowerCase().split('.')
  return {
    scenario: UPI_SCENARIOS.find((scenario) => scenario === name) ?? 'success',
    reversal: REVERSALS[modifier] ?? 'at_once',
  }
}

/** What happens with a card or a bank: the shopper decides on a page, or it is decided at once or a little later. */
export type InstrumentBehaviour =
  | { readonly kind: 'page' }
  | { readonly kind: 'decided'; readonly outcome: NetworkOutcome; readonly reason: string | null }
  | { readonly kind: 'slow' }

const SUCCESS: InstrumentBehaviour = { kind: 'decided', outcome: 'success', reason: null }
const declined = (reason: string): InstrumentBehaviour => ({ kind: 'decided', outcome: 'failed', reason })

/** Cards that need no page. Every other number, such as 4111111111111111, gets the issuer's page. */
const CARDS: ReadonlyMap<string, InstrumentBehaviour> = new Map([
  ['4242424242424242', SUCCESS],
  ['4000000000000002', declined('declined by the issuer')],
  ['4000000000009995', declined('insufficient funds')],
  ['4000000000000069', declined('expired card')],
  ['4000000000000259', { kind: 'slow' }],
])

/** Banks that need no page. Every other code, such as HDFC, gets the bank's page. */
const BANKS: ReadonlyMap<string, InstrumentBehaviour> = new Map([
  ['PASS', SUCCESS],
  ['FAIL', declined('declined by the bank')],
  ['SLOW', { kind: 'slow' }],
])

export function cardBehaviour(number: string): InstrumentBehaviour {
  return CARDS.get(number) ?? { kind: 'page' }
}

export function bankBehaviour(bank: string): InstrumentBehaviour {
  return BANKS.get(bank) ?? { kind: 'page' }
}

/** Card networks by their number ranges, as far as a sandbox needs to tell them apart. */
const CARD_NETWORKS: readonly (readonly [RegExp, string])[] = [
  [/^4/u, 'visa'],
  [/^(5[1-5]|2[2-7])/u, 'mastercard'],
  [/^(60|65|81|82|508)/u, 'rupay'],
  [/^3[47]/u, 'amex'],
]

/** What may be kept of a card: `visa ending in 1111`. */
export function describeCard(number: string): string {
  const network = CARD_NETWORKS.find(([range]) => range.test(number))?.[1] ?? 'card'
  return `${network} ending in ${number.slice(-4)}`
}
