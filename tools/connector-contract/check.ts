import type { PaymentMethod, StartPayment } from '@gateway/contracts'
import type { CallbackReceiver } from './callback-receiver.ts'
import type { Connector } from './connector.ts'

/** What a payment is made with that succeeds without a page, by method; each connector has its own test instruments. */
export type Instruments = Readonly<Record<CheckedMethod, Pick<StartPayment, 'upi' | 'card' | 'netbanking'>>>

export const CHECKED_METHODS = ['upi', 'credit_card', 'netbanking'] as const satisfies readonly PaymentMethod[]
export type CheckedMethod = (typeof CHECKED_METHODS)[number]

/** Everything that a check works with. */
export interface Bench {
  readonly connector: Connector
  readonly callbacks: CallbackReceiver
  readonly instruments: Instruments
  /** How long a payment may take to succeed, a callback to come, and a reversal to end, in milliseconds. */
  readonly patienceMs: number
}

/** One rule of the contract. `run` rejects, with the reason, when the connector does not keep it. */
export interface Check {
  readonly name: string
  run(bench: Bench): Promise<void>
}

/** Throws, with what the connector did, unless the condition holds. */
export function demand(condition: boolean, otherwise: string): asserts condition {
  if (!condition) throw new Error(otherwise)
}
