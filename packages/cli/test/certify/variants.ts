import type { Mistakes } from './shop.ts'

/** Receivers that are correct, each with a different design. */
export const CORRECT: Readonly<Record<string, (answerMs: number) => Mistakes>> = {
  plain: () => ({}),
  slow: (answerMs) => ({ workMs: answerMs * 0.4 }),
  'queue-based': () => ({ hasQueue: true }),
}

export interface Mutant {
  readonly name: string
  readonly mistakes: (answerMs: number) => Mistakes
  /** The checks that must fail, and no other. */
  readonly fails: readonly number[]
}

const always = (mistakes: Mistakes) => () => mistakes

/** Each makes one mistake. For each check, at least one of them fails it. */
export const MUTANTS: readonly Mutant[] = [
  { name: 'no verification', mistakes: always({ verification: 'none' }), fails: [2, 3, 4, 15] },
  { name: 're-serialised JSON', mistakes: always({ verification: 'reserialised' }), fails: [3, 5] },
  { name: 'no timestamp', mistakes: always({ verification: 'no_timestamp' }), fails: [4] },
  { name: 'first signature only', mistakes: always({ verification: 'first_signature' }), fails: [6] },
  { name: 'no dedupe', mistakes: always({ dedupe: 'none' }), fails: [7, 8] },
  { name: 'check-then-act', mistakes: always({ dedupe: 'check_then_act' }), fails: [8] },
  { name: 'last arrival wins', mistakes: always({ lastArrivalWins: true }), fails: [9] },
  { name: 'trusts the webhook', mistakes: always({ trustsTheWebhook: true }), fails: [10, 11, 13, 18] },
  { name: 'answers 204', mistakes: always({ answers204: true }), fails: [1, 5, 6, 14] },
  { name: 'works 12 s first', mistakes: (answerMs) => ({ workMs: answerMs * 1.2 }), fails: [1, 5, 6] },
  { name: 'acks before storing', mistakes: always({ acksBeforeStoring: true }), fails: [12] },
  { name: 'fulfils tests', mistakes: always({ fulfilsTests: true }), fails: [14] },
  { name: 'new order_id on retry', mistakes: always({ newOrderIdOnRetry: true }), fails: [16, 17] },
]
