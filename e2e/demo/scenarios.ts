import type { FailureReason, ReversalReason, TransactionStatus } from '@gateway/contracts'
import type { UpiApp } from '../support/upi-app.ts'

/** One payment of the demo: what the shopper and the merchant's server do, and how it has to go. */
export interface Scenario {
  readonly name: string
  readonly about: string
  readonly amount: string
  /** The VPA that pays; nobody pays without. */
  readonly vpa?: string
  readonly expiresInSeconds?: number
  /** How often the merchant's server answers 500 to each webhook before it answers 200. */
  readonly refusals: number
  /** What else happens once the order is there and, with a VPA, paid. */
  readonly afterwards?: (payment: Payment) => Promise<void>
  readonly expected: Expectation
}

/** A payment on its way. */
export interface Payment {
  readonly app: UpiApp
  readonly transactionId: string
  readonly intent: string
  /** Resolves when a search shows this status. */
  readonly becomes: (status: TransactionStatus) => Promise<unknown>
}

export interface Expectation {
  /** Of the transaction, in order: each is one webhook. */
  readonly statuses: readonly TransactionStatus[]
  readonly failureReason: FailureReason | null
  /** Money that came when it was not wanted any more, and went back. */
  readonly reversal: { readonly reason: ReversalReason; readonly amount: string } | null
}

const SHORTEST_EXPIRY_SECONDS = 5

export const SCENARIOS: readonly Scenario[] = [
  {
    name: 'success',
    about: 'the shopper pays',
    amount: '499.00',
    vpa: 'success@sandbox',
    refusals: 0,
    expected: { statuses: ['Initiate', 'Success'], failureReason: null, reversal: null },
  },
  {
    name: 'failure',
    about: "the shopper's bank declines",
    amount: '1250.50',
    vpa: 'failure@sandbox',
    refusals: 0,
    expected: { statuses: ['Initiate', 'Failed'], failureReason: 'declined', reversal: null },
  },
  {
    name: 'expiry',
    about: 'nobody pays in time',
    amount: '75.00',
    expiresInSeconds: SHORTEST_EXPIRY_SECONDS,
    refusals: 0,
    expected: { statuses: ['Initiate', 'Failed'], failureReason: 'expired', reversal: null },
  },
  {
    name: 'late',
    about: 'paid, but the bank says so only after the order has expired: the money goes back',
    amount: '2100.00',
    vpa: 'late@sandbox',
    expiresInSeconds: SHORTEST_EXPIRY_SECONDS,
    refusals: 0,
    expected: { statuses: ['Initiate', 'Failed'], failureReason: 'expired', reversal: { reason: 'late', amount: '2100.00' } },
  },
  {
    name: 'retries',
    about: "the shopper pays; the merchant's server answers 500 twice, then 200",
    amount: '35.00',
    vpa: 'success@sandbox',
    refusals: 2,
    expected: { statuses: ['Initiate', 'Success'], failureReason: null, reversal: null },
  },
]
