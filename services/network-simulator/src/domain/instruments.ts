import type { NetworkOutcome } from '@gateway/contracts'

/** What happens with a card or a bank. */
export type InstrumentBehaviour =
  | PageBehaviour
  /** Decided at once, without a page. */
  | { readonly kind: 'decided'; readonly outcome: NetworkOutcome; readonly reason: string | null }
  /** Pending, and a success a little later, without a page. */
  | { readonly kind: 'slow' }
  /** The start finds nobody: no answer at all, or a 503. Nothing is started. */
  | { readonly kind: 'down'; readonly how: 'silent' | 'unavailable' }

/** The shopper decides on a page of the issuer or the bank. */
export interface PageBehaviour {
  readonly kind: 'page'
  /** Every one-time password is the wrong one. */
  readonly refusesOtp?: true
  /** How long the page can be used; what all pages have, when it is not said. */
  readonly lastsMs?: number
  /** Started, and the connection is cut before the answer. Asked again, it is answered. */
  readonly losesFirstAnswer?: true
}

/** How long a page of an instrument lasts that shows what happens when the time is over. */
export const SHORT_PAGE_MS = 5000

const SUCCESS: InstrumentBehaviour = { kind: 'decided', outcome: 'success', reason: null }
const declined = (reason: string): InstrumentBehaviour => ({ kind: 'decided', outcome: 'failed', reason })
const SLOW: InstrumentBehaviour = { kind: 'slow' }
const ASK: InstrumentBehaviour = { kind: 'page' }
const DECLINED = declined('declined by the issuer')
const INSUFFICIENT_FUNDS = declined('insufficient funds')
const EXPIRED_CARD = declined('expired card')

/**
 * A test card of any network has its outcome in its number: prefix, zeros, three digits of `OUTCOMES`, check digit. Prefix and
 * length, for Visa, Mastercard, RuPay, American Express, Diners Club and Maestro.
 */
const TEST_RANGES: readonly (readonly [prefix: string, length: number])[] = [
  ['400000', 16],
  ['555555', 16],
  ['652150', 16],
  ['378282', 15],
  ['305693', 14],
  ['675964', 16],
]

const OUTCOMES: ReadonlyMap<string, InstrumentBehaviour> = new Map<string, InstrumentBehaviour>([
  ['101', SUCCESS],
  ['201', DECLINED],
  ['202', INSUFFICIENT_FUNDS],
  ['203', EXPIRED_CARD],
  ['301', SLOW],
  ['401', { kind: 'page', refusesOtp: true }],
  ['402', { kind: 'page', lastsMs: SHORT_PAGE_MS }],
  ['501', { kind: 'down', how: 'silent' }],
  ['502', { kind: 'down', how: 'unavailable' }],
  ['503', { kind: 'page', losesFirstAnswer: true }],
])

/** Well-known numbers with an outcome of their own. */
const CARDS: ReadonlyMap<string, InstrumentBehaviour> = new Map([
  ['4242424242424242', SUCCESS],
  ['4000000000000002', DECLINED],
  ['4000000000009995', INSUFFICIENT_FUNDS],
  ['4000000000000069', EXPIRED_CARD],
  ['4000000000000259', SLOW],
])

/** Banks with an outcome of their own. Every other code, such as HDFC, gets the bank's page. */
const BANKS: ReadonlyMap<string, InstrumentBehaviour> = new Map<string, InstrumentBehaviour>([
  ['PASS', SUCCESS],
  ['FAIL', declined('declined by the bank')],
  ['SLOW', SLOW],
  ['TIME', { kind: 'page', lastsMs: SHORT_PAGE_MS }],
  ['HANG', { kind: 'down', how: 'silent' }],
  ['DOWN', { kind: 'down', how: 'unavailable' }],
  ['LOST', { kind: 'page', losesFirstAnswer: true }],
])

/** Every number without an outcome in it, such as 4111111111111111, gets the issuer's page. */
export function cardBehaviour(number: string): InstrumentBehaviour {
  return CARDS.get(number) ?? behaviourInNumber(number) ?? ASK
}

export function bankBehaviour(bank: string): InstrumentBehaviour {
  return BANKS.get(bank) ?? ASK
}

function behaviourInNumber(number: string): InstrumentBehaviour | undefined {
  const isTestCard = TEST_RANGES.some(([prefix, length]) => {
    const zeros = '0'.repeat(length - prefix.length - 4)
    return number.length === length && number.startsWith(prefix + zeros)
  })
  return isTestCard ? OUTCOMES.get(number.slice(-4, -1)) : undefined
}
