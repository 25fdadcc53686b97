import type { NetworkOutcome } from '@gateway/contracts'

/** What a payment with a card or a bank does. */
export type InstrumentBehaviour =
  | PageBehaviour
  /** Decided immediately, without a page. */
  | { readonly kind: 'decided'; readonly outcome: NetworkOutcome; readonly reason: string | null }
  /** Pending, then success a few seconds later, without a page. */
  | { readonly kind: 'slow' }
  /** The network is down: a start gets no answer, or a 503. No payment starts. */
  | { readonly kind: 'down'; readonly how: 'silent' | 'unavailable' }

/** The shopper decides on a page of the issuer or the bank. */
export interface PageBehaviour {
  readonly kind: 'page'
  /** Every one-time password is refused. */
  readonly refusesOtp?: true
  /** How long the page can be used, in milliseconds; by default `BANK_PAGE_TIMEOUT`. */
  readonly lastsMs?: number
  /** The payment starts, but the connection is cut before the answer. The repeated start is answered. */
  readonly losesFirstAnswer?: true
}

/** How long the page of an instrument that simulates a page timeout can be used. */
const SHORT_PAGE_MS = 5000

const SUCCESS: InstrumentBehaviour = { kind: 'decided', outcome: 'success', reason: null }
const declined = (reason: string): InstrumentBehaviour => ({ kind: 'decided', outcome: 'failed', reason })
const SLOW: InstrumentBehaviour = { kind: 'slow' }
const ASK: InstrumentBehaviour = { kind: 'page' }
const DECLINED = declined('declined by the issuer')
const INSUFFICIENT_FUNDS = declined('insufficient funds')
const EXPIRED_CARD = declined('expired card')

/**
 * The number of a test card holds its outcome: prefix, zeros, three digits of `OUTCOMES`, check digit. This table has the prefix
 * and length for Visa, Mastercard, RuPay, American Express, Diners Club and Maestro.
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

/** Well-known test numbers with a fixed outcome. */
const CARDS: ReadonlyMap<string, InstrumentBehaviour> = new Map([
  ['4242424242424242', SUCCESS],
  ['4000000000000002', DECLINED],
  ['4000000000009995', INSUFFICIENT_FUNDS],
  ['4000000000000069', EXPIRED_CARD],
  ['4000000000000259', SLOW],
])

/** Banks with a fixed behaviour. Every other code, such as HDFC, gets the bank's page. */
const BANKS: ReadonlyMap<string, InstrumentBehaviour> = new Map<string, InstrumentBehaviour>([
  ['PASS', SUCCESS],
  ['FAIL', declined('declined by the bank')],
  ['SLOW', SLOW],
  ['TIME', { kind: 'page', lastsMs: SHORT_PAGE_MS }],
  ['HANG', { kind: 'down', how: 'silent' }],
  ['DOWN', { kind: 'down', how: 'unavailable' }],
  ['LOST', { kind: 'page', losesFirstAnswer: true }],
])

/** The behaviour of a card. A number without a fixed outcome, such as 4111111111111111, gets the issuer's page. */
export function cardBehaviour(number: string): InstrumentBehaviour {
  return CARDS.get(number) ?? behaviourInNumber(number) ?? ASK
}

/** The behaviour of a bank, by its code. */
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
