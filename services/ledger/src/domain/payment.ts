import type {
  ExportedPayment,
  FailureCode,
  PaymentMethod,
  RefundState,
  TransactionStatus,
  TransactionStatusChanged,
} from '@gateway/contracts'
import { paiseOf } from './refund.ts'

/** A payment as the ledger knows it. Of two copies, the one with the higher sequence, then the higher version is newer. */
export interface Payment {
  readonly merchantId: string
  readonly transactionId: string
  readonly orderId: string
  readonly status: TransactionStatus
  /** Counts status changes. */
  readonly sequence: number
  /** Counts every write at payment-status. A copy made from an event has 0, because events do not have the version. */
  readonly version: number
  readonly amountPaise: number
  readonly method: PaymentMethod | null
  readonly rrn: string | null
  readonly failureCode: FailureCode | null
  /** Keyed hash of the payer's UPI address (payer-hash.ts). The address itself is not stored. */
  readonly payerHash: string | null
  readonly refundState: RefundState
  readonly refundedPaise: number
  readonly createdAt: Date
  readonly finalAt: Date | null
}

/** A copy to store: with every number under which a bank knows an attempt, a reversal or a refund. */
export interface NewPayment extends Payment {
  readonly rrns: readonly string[]
}

type HashPayer = (merchantId: string, vpa: string) => string

/** The payment after a status change that is not final. The event has every field that lists show at that point. */
export function paymentOfEvent({ data }: TransactionStatusChanged, hashPayer: HashPayer): NewPayment {
  return {
    merchantId: data.merchant_id,
    transactionId: data.transaction_id,
    orderId: data.order_id,
    status: data.status,
    sequence: data.sequence,
    version: 0,
    amountPaise: data.amount_paise,
    method: data.method,
    rrn: data.rrn,
    rrns: data.rrn ? [data.rrn] : [],
    failureCode: null,
    payerHash: data.payer ? hashPayer(data.merchant_id, data.payer.vpa) : null,
    ...NOTHING_REFUNDED,
    createdAt: new Date(data.order_created_at),
    finalAt: null,
  }
}

/** The payment as payment-status exports it. */
export function paymentOfExport(exported: ExportedPayment, hashPayer: HashPayer): NewPayment {
  return {
    merchantId: exported.merchant_id,
    transactionId: exported.transaction_id,
    orderId: exported.order_id,
    status: exported.status,
    sequence: exported.sequence,
    version: exported.version,
    amountPaise: exported.amount_paise,
    method: exported.method,
    rrn: exported.rrn,
    rrns: exported.rrns,
    failureCode: exported.failure_code,
    payerHash: exported.payer_vpa === null ? null : hashPayer(exported.merchant_id, exported.payer_vpa),
    ...refundedOf(exported),
    createdAt: new Date(exported.created_at),
    finalAt: exported.final_at === null ? null : new Date(exported.final_at),
  }
}

const NOTHING_REFUNDED = { refundState: 'none', refundedPaise: 0 } as const

/** Only refunds that have succeeded count: a pending one may fail, and a returned one came back. */
function refundedOf({ captures, refunds }: ExportedPayment): Pick<Payment, 'refundState' | 'refundedPaise'> {
  const refundedPaise = refunds.filter(({ status }) => status === 'succeeded').reduce((sum, refund) => sum + paiseOf(refund), 0)
  const capturedPaise = captures.find(({ accepted }) => accepted)?.amount_paise ?? 0
  if (refundedPaise === 0) return NOTHING_REFUNDED
  return { refundState: refundedPaise < capturedPaise ? 'partial' : 'full', refundedPaise }
}

type Age = Pick<Payment, 'sequence' | 'version'>

/** True when `one` is newer than `other`, which is a copy of the same payment. */
export function isNewer(one: Age, other: Age): boolean {
  return one.sequence > other.sequence || (one.sequence === other.sequence && one.version > other.version)
}

/** True for the copy made from a payment's first event: no copy of that payment is older. */
export function isOldest({ sequence, version }: Age): boolean {
  return sequence === 1 && version === 0
}
