import {
  formatPaise,
  type FailureCode,
  type NetworkOutcome,
  type NetworkReport,
  type Payer,
  type PaymentMethod,
  type RefundStatus,
  type ReversalReason,
  type ReversalStatus,
} from '@gateway/contracts'
import type { ReversalBehaviour } from './instruments.ts'
import type { Refund, RefundBehaviour } from './refund.ts'

/** One payment at a bank, an issuer or a UPI app. Each capture has its own reference. */
export interface Payment {
  readonly reference: string
  readonly tr: string
  readonly method: PaymentMethod
  readonly amount_paise: number
  /** The outcome that an enquiry returns now. */
  readonly outcome: NetworkOutcome
  /** The reason in a report of failure. A payment that is not failed may already hold the reason for a later one. */
  readonly failure_reason: string | null
  /** Retrieval reference number; reported only with a success. */
  readonly rrn: string
  readonly payer: Payer | null
  /** Never a full card number: the last four digits and the network, or the bank's code. */
  readonly instrument: string | null
  /** Set for payments that the gateway started. */
  readonly start: Start | null
  /** Set when the shopper decides on a page. Kept after the decision, so that the page can show the result. */
  readonly page: BankPage | null
  readonly reversal_behaviour: ReversalBehaviour
  readonly reversal: Reversal | null
  /** How refunds of a UPI payment end. */
  readonly refund_behaviour: RefundBehaviour
  readonly refunds: readonly Refund[]
  /** In the order in which they were planned. Finished ones are kept, so that testers can see them. */
  readonly callbacks: readonly ScheduledCallback[]
  /** Set when the first enquiries get no answer. */
  readonly unclear: UnclearEnquiries | null
  /** Number of writes; a save succeeds only from the version that was read. */
  readonly version: number
  readonly created_at: Date
}

export interface Start {
  readonly attempt_id: string
  /** Digest that tells whether a repeated start is the same request. Made without card number, CVV and holder. */
  readonly fingerprint: string
}

/** The page of an issuer, which asks for a one-time password, or of a bank, where the shopper chooses how it ends. */
export interface BankPage {
  readonly kind: 'issuer' | 'bank'
  /** The unguessable part of the page's address. */
  readonly token: string
  readonly return_url: string
  readonly description: string
  /** From this time on the shopper cannot decide, and the payment is reported as failed. */
  readonly expires_at: Date
  readonly refuses_otp: boolean
  readonly wrong_otps: number
  readonly resends: number
  /** Message about the shopper's last action. */
  readonly notice: 'wrong_otp' | 'resent' | null
}

/** A planned callback. It is stored inside its payment, so that one write saves both. */
export interface ScheduledCallback {
  readonly id: string
  /** The `webhook-id`; all copies of one callback share it. */
  readonly message_id: string
  /** The reported outcome. */
  readonly outcome: NetworkOutcome
  /** Set for a callback about a refund. It reports this status instead of the payment's outcome. */
  readonly refund?: { readonly id: string; readonly status: RefundStatus }
  /** True: the payment takes this outcome when the callback is claimed, before it is sent. */
  readonly settles: boolean
  /** Id of a callback that must be acknowledged or given up first. */
  readonly after: string | null
  /** True: sent only after payment-status shows the transaction in a final status. */
  readonly waits_for_final: boolean
  readonly due_at: Date
  readonly tries: number
  readonly state: 'scheduled' | 'acknowledged' | 'given_up'
}

export interface Reversal {
  readonly reason: ReversalReason
  readonly status: ReversalStatus
  /** The bank's number of the reversal; reported once it has succeeded. */
  readonly rrn: string
  readonly requested_at: Date
  /** When a pending reversal succeeds. */
  readonly completes_at: Date
}

/** Enquiries that get no answer: the next `left` ones, and all before `until`. */
export interface UnclearEnquiries {
  readonly left: number
  readonly until: Date
}

/** True when an enquiry about this payment gets no answer now. */
export function isUnclear({ unclear }: Payment, now: Date): boolean {
  return unclear !== null && (unclear.left > 0 || now < unclear.until)
}

/** The payment after one more enquiry without an answer. */
export function countUnclear(payment: Payment): Payment {
  const { unclear } = payment
  return unclear && unclear.left > 0 ? { ...payment, unclear: { ...unclear, left: unclear.left - 1 } } : payment
}

/** The payment as a report of the contract. An enquiry reports the current outcome, a callback its own outcome. */
export function reportOf(payment: Payment, outcome: NetworkOutcome = payment.outcome): NetworkReport {
  return {
    reference: payment.reference,
    tr: payment.tr,
    ...(payment.start ? { attempt_id: payment.start.attempt_id } : {}),
    outcome,
    amount: formatPaise(payment.amount_paise),
    ...(outcome === 'success' ? { rrn: payment.rrn } : {}),
    method: payment.method,
    ...(payment.payer ? { payer: { ...payment.payer } } : {}),
    ...(outcome === 'failed' && payment.failure_reason !== null ? reasonsOf(payment.failure_reason) : {}),
  }
}

/** The contract's code for each reason of the simulated banks, and the code that a real network sends with it (ISO 8583, UPI). */
const CODES: ReadonlyMap<string, readonly [FailureCode, networkCode: string]> = new Map([
  ['insufficient funds', ['insufficient_funds', '51']],
  ['expired card', ['instrument_blocked', '54']],
  ['wrong one-time password, three times', ['authentication_failed', '75']],
  ['cancelled', ['payer_declined', 'ZA']],
  ['expired', ['timed_out', 'U69']],
])
/** "Do not honour": the issuer or bank gives no reason. */
const NO_REASON = ['unknown', '05'] as const

function reasonsOf(reason: string): Pick<NetworkReport, 'reason' | 'reason_code' | 'network_code'> {
  const [reasonCode, networkCode] = CODES.get(reason) ?? NO_REASON
  return { reason, reason_code: reasonCode, network_code: networkCode }
}
