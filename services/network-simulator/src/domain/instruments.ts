import {
  networkOf,
  Unavailable,
  ValidationFailed,
  type NetworkOutcome,
  type PaymentMethod,
  type StartPayment,
} from '@gateway/contracts'
import { REFUND_BEHAVIOURS, type RefundBehaviour } from './refund.ts'

/** The instrument of a payment that starts. */
export type Instrument =
  | { readonly method: 'upi'; readonly vpa: string }
  | {
      /** For a card: credit or debit as the issuer reports it, not as requested. */
      readonly method: Exclude<PaymentMethod, 'upi'>
      /** Never a whole card number: the last four digits and the network, or the bank's code. */
      readonly name: string
      readonly behaviour: AnsweringBehaviour
    }

/** What a payment with a card or a bank does. */
export type InstrumentBehaviour =
  | AnsweringBehaviour
  /** The network is down: a start gets no answer, or a 503. No payment starts. */
  | { readonly kind: 'down'; readonly how: 'silent' | 'unavailable' }

export type AnsweringBehaviour =
  /** Decided immediately, without a page. */
  | { readonly kind: 'decided'; readonly outcome: NetworkOutcome; readonly reason: string | null }
  /** Pending, then success a few seconds later, without a page. */
  | { readonly kind: 'slow' }
  /** The shopper decides on a page of the issuer or the bank. */
  | {
      readonly kind: 'page'
      /** Every one-time password is refused. */
      readonly refusesOtp?: true
      /** How long the page can be used, in milliseconds; by default `BANK_PAGE_TIMEOUT`. */
      readonly lastsMs?: number
      /** The payment starts, but the connection is cut before the answer. The repeated start is answered. */
      readonly losesFirstAnswer?: true
    }

/**
 * The instrument of a request; `silent` when its network never answers. Throws `ValidationFailed` when the request has no data for
 * its method, and `Unavailable` (`network_unavailable`) when the network answers that it is down.
 */
export function instrumentOf({ method, upi, card, netbanking }: StartPayment): Instrument | 'silent' {
  if (method === 'upi') return { method, vpa: required(upi, '/upi').vpa }
  if (method === 'netbanking') {
    const { bank } = required(netbanking, '/netbanking')
    return answering({ method, name: bank }, bankBehaviour(bank))
  }
  const { number } = required(card, '/card')
  return answering({ method: cardMethod(number), name: describeCard(number) }, cardBehaviour(number))
}

function answering(
  fields: { method: Exclude<PaymentMethod, 'upi'>; name: string },
  behaviour: InstrumentBehaviour,
): Instrument | 'silent' {
  if (behaviour.kind !== 'down') return { ...fields, behaviour }
  if (behaviour.how === 'silent') return 'silent'
  throw new Unavailable('network_unavailable', 'The network is down; try again')
}

function required<T>(value: T | undefined, field: string): T {
  if (value === undefined) throw new ValidationFailed([{ field, message: 'is required for this method' }])
  return value
}

/** Behaviours of a UPI payment, chosen by the part of the VPA before `@sandbox`. */
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

/** How the network answers a request to reverse a capture. */
export type ReversalBehaviour = 'at_once' | 'takes_a_while' | 'refused'

const REVERSALS: Readonly<Record<string, ReversalBehaviour>> = { 'slow-reversal': 'takes_a_while', 'refused-reversal': 'refused' }
const REFUND_MODIFIER = /^(.+)-refund$/u

/**
 * The behaviour of a VPA: `late@sandbox` pays late, `late.refused-reversal@sandbox` also refuses the reversal, and
 * `success.slow-refund@sandbox` refunds slowly. Modifiers can be combined. A VPA without a scenario pays successfully.
 */
export function upiBehaviour(vpa: string): {
  readonly scenario: UpiScenario
  readonly reversal: ReversalBehaviour
  readonly refund: RefundBehaviour
} {
  const [, local = ''] = /^(.*)@sandbox$/iu.exec(vpa) ?? []
  const [name = '', ...modifiers] = local.toLowerCase().split('.')
  const refunds = modifiers.map((modifier) => REFUND_MODIFIER.exec(modifier)?.[1])
  return {
    scenario: UPI_SCENARIOS.find((scenario) => scenario === name) ?? 'success',
    reversal: modifiers.map((modifier) => REVERSALS[modifier]).find((found) => found !== undefined) ?? 'at_once',
    refund: REFUND_BEHAVIOURS.find((behaviour) => refunds.includes(behaviour)) ?? 'at_once',
  }
}

/** How long the page of an instrument that simulates a page timeout can be used. */
const SHORT_PAGE_MS = 5000

const SUCCESS: InstrumentBehaviour = { kind: 'decided', outcome: 'success', reason: null }
const declined = (reason: string): InstrumentBehaviour => ({ kind: 'decided', outcome: 'failed', reason })
const SLOW: InstrumentBehaviour = { kind: 'slow' }
const DECLINED = declined('declined by the issuer')
const INSUFFICIENT_FUNDS = declined('insufficient funds')
const EXPIRED_CARD = declined('expired card')
const TIMES_OUT: InstrumentBehaviour = { kind: 'page', lastsMs: SHORT_PAGE_MS }
const LOSES_ANSWER: InstrumentBehaviour = { kind: 'page', losesFirstAnswer: true }
const SILENT: InstrumentBehaviour = { kind: 'down', how: 'silent' }
const DOWN: InstrumentBehaviour = { kind: 'down', how: 'unavailable' }

/**
 * A test card's number holds its outcome: six digits of the network, zeros, three digits of `OUTCOMES`, check digit. The networks are
 * Visa, Mastercard, RuPay and Maestro with 16 digits, American Express with 15, Diners Club with 14.
 */
const TEST_CARD = /^(?:(?:400000|555555|652150|675964)0{6}|3782820{5}|3056930{4})(\d{3})\d$/u

const OUTCOMES: Readonly<Record<string, InstrumentBehaviour>> = {
  101: SUCCESS,
  201: DECLINED,
  202: INSUFFICIENT_FUNDS,
  203: EXPIRED_CARD,
  301: SLOW,
  401: { kind: 'page', refusesOtp: true },
  402: TIMES_OUT,
  501: SILENT,
  502: DOWN,
  503: LOSES_ANSWER,
}

/** Well-known test numbers with a fixed outcome. */
const CARDS: Readonly<Record<string, InstrumentBehaviour>> = {
  4242424242424242: SUCCESS,
  4000000000000002: DECLINED,
  4000000000009995: INSUFFICIENT_FUNDS,
  4000000000000069: EXPIRED_CARD,
  4000000000000259: SLOW,
}

/** Banks with a fixed behaviour. Every other code, such as HDFC, gets the bank's page. */
const BANKS: Readonly<Record<string, InstrumentBehaviour>> = {
  PASS: SUCCESS,
  FAIL: declined('declined by the bank'),
  SLOW,
  TIME: TIMES_OUT,
  HANG: SILENT,
  DOWN,
  LOST: LOSES_ANSWER,
}

/** The behaviour of a card. A number without a fixed outcome, such as 4111111111111111, gets the issuer's page. */
export function cardBehaviour(number: string): InstrumentBehaviour {
  const [, outcome = ''] = TEST_CARD.exec(number) ?? []
  return CARDS[number] ?? OUTCOMES[outcome] ?? { kind: 'page' }
}

/** The behaviour of a bank, by its code. */
export function bankBehaviour(bank: string): InstrumentBehaviour {
  return BANKS[bank] ?? { kind: 'page' }
}

/** Sandbox ranges of debit cards. All cards of Maestro are debit cards, too. */
const DEBIT = /^(?:400005|520082|652150)/u

/** Credit or debit, as the card's issuer reports it. The gateway and the shopper may not know. */
export function cardMethod(number: string): 'credit_card' | 'debit_card' {
  return DEBIT.test(number) || networkOf(number)?.id === 'maestro' ? 'debit_card' : 'credit_card'
}

/** The only description of a card that may be stored: `Visa ending in 1111`. */
export function describeCard(number: string): string {
  return `${networkOf(number)?.name ?? 'Card'} ending in ${number.slice(-4)}`
}
