import type { PaymentMethod, StartPayment } from '@gateway/contracts'
import type { CallbackReceiver } from './callback-receiver.ts'
import { inWords, type Answer, type Connector } from './connector.ts'

export const CHECKED_METHODS = ['upi', 'credit_card', 'netbanking'] as const satisfies readonly PaymentMethod[]
export type CheckedMethod = (typeof CHECKED_METHODS)[number]

/** Test instruments of the connector: for each method one with which a payment succeeds without a page. */
export interface Instruments extends Readonly<Record<CheckedMethod, Pick<StartPayment, 'upi' | 'card' | 'netbanking'>>> {
  /** A VPA whose UPI payments are declined without a page. */
  readonly declined: Required<Pick<StartPayment, 'upi'>>
}

/** How UPI payments begin at this connector. */
export interface UpiOptions {
  /** By a start with a VPA. Otherwise by a link, which the sandbox's payer hook pays. */
  readonly collect: boolean
  /** The connector mints the link. */
  readonly intents: boolean
}

/** What every check works with. */
export interface Bench {
  readonly connector: Connector
  readonly callbacks: CallbackReceiver
  readonly instruments: Instruments
  readonly upi: UpiOptions
  /** How long a payment may take to succeed, a callback to arrive and a reversal to end, in milliseconds. */
  readonly patienceMs: number
}

/** One rule of the contract. `run` rejects, with the reason, when the connector breaks the rule. */
export interface Check {
  readonly name: string
  run(bench: Bench): Promise<void>
}

/** Throws `otherwise`, which says what the connector did, unless the condition holds. */
export function demand(condition: boolean, otherwise: string): asserts condition {
  if (!condition) throw new Error(otherwise)
}

export function demandStatus(answer: Answer, status: number, request: string): void {
  demand(answer.status === status, `${request} was answered ${inWords(answer)}`)
}

/** The body of an answer with one of these statuses, in the form of the contract. Throws, with the answer, when it is another one. */
export function demandBody<T>(
  answer: Answer,
  statuses: readonly number[],
  isForm: (body: unknown) => body is T,
  request: string,
): T {
  const { status, body } = answer
  demand(statuses.includes(status) && isForm(body), `${request} was answered ${inWords(answer)}`)
  return body
}

/** A check that sends one request, which must get this status. */
export function refuses(name: string, status: number, send: (bench: Bench) => Promise<Answer>): Check {
  return { name, run: async (bench) => demandStatus(await send(bench), status, 'the request') }
}
