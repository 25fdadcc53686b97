import type { FailureReason, PaymentMethod, RefundView, ReversalReason, TransactionStatus } from '@gateway/contracts'
import type { UpiApp } from '../support/merchant.ts'

/** One payment of the demo: what the shopper and the merchant's server do, and the expected result. */
export interface Scenario {
  readonly name: string
  readonly about: string
  readonly amount: string
  /** The VPA that pays; without it there is no payment. */
  readonly vpa?: string
  /** Without a VPA: the network pays with this method. */
  readonly method?: PaymentMethod
  readonly expiresInSeconds?: number
  /** The refunds that the merchant makes after the payment, one after another. */
  readonly refunds?: readonly ExpectedRefund[]
  /** How often the merchant's server answers 500 to each webhook before it answers 200. */
  readonly refusals: number
  /** Further steps after the order was created and, with a VPA, paid. */
  readonly afterwards?: (payment: Payment) => Promise<void>
  readonly expected: Expectation
}

/** A payment that has begun. */
export interface Payment {
  readonly app: UpiApp
  readonly transactionId: string
  readonly intent: string
  /** Resolves when a search shows this status. */
  readonly waitForStatus: (status: TransactionStatus) => Promise<unknown>
}

export interface Expectation {
  /** The statuses of the transaction in order; each makes one webhook. */
  readonly statuses: readonly TransactionStatus[]
  readonly failureReason: FailureReason | null
  /** Money that must not be kept and is given back. */
  readonly reversal: { readonly reason: ReversalReason; readonly amount: string } | null
}

/** A refund with its final status, or with the problem code of the refusal. */
export interface ExpectedRefund {
  readonly amount: string
  readonly ends: RefundView['status'] | 'refund_exceeds_captured'
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
    about: "the shopper's bank declines the payment",
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
    about: 'paid, but the bank reports it after the order has expired: the money is given back',
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
  {
    name: 'refunds',
    about: 'paid and refunded in two parts; the bank refuses a third one, and there is nothing left for a fourth',
    amount: '499.00',
    method: 'netbanking',
    refunds: [
      { amount: '200.00', ends: 'succeeded' },
      // The sandbox's bank refuses an amount that ends in .92. The merchant can then refund this money again.
      { amount: '298.92', ends: 'failed' },
      { amount: '299.00', ends: 'succeeded' },
      { amount: '0.01', ends: 'refund_exceeds_captured' },
    ],
    refusals: 0,
    expected: { statuses: ['Initiate', 'Success'], failureReason: null, reversal: null },
  },
]
