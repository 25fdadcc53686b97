import {
  ownSlotOf,
  type ExportedPayment,
  type FailureCode,
  type PaymentMethod,
  type RefundState,
  type TransactionStatus,
} from '@gateway/contracts'
import { succeededPaise } from './refund.ts'

/** A payment as the ledger stores it. Of two copies, the one with the higher version is newer. */
export interface Payment {
  /** `<merchant id>:<transaction id>`: in the order of creation for each merchant. */
  readonly _id: string
  readonly merchant_id: string
  /** The order's slot. */
  readonly slot: number
  readonly order_id: string
  readonly status: TransactionStatus
  /** Counts status changes. */
  readonly sequence: number
  /** Counts every write at payment-status. */
  readonly version: number
  readonly amount_paise: number
  readonly method: PaymentMethod | null
  readonly rrn: string | null
  readonly failure_code: FailureCode | null
  /** Keyed hash of the payer's UPI address (payer-hash.ts). The address itself is not stored. Absent when there is none. */
  readonly payer_hash?: string
  readonly refund_state: RefundState
  readonly refunded_paise: number
  readonly created_at: Date
  readonly final_at: Date | null
}

/** A copy to store: with every number under which a bank knows an attempt, a reversal or a refund. */
export interface NewPayment {
  readonly payment: Payment
  readonly rrns: readonly string[]
}

/** Hashes a payer's UPI address for the database. Equal for the same address of one merchant, in any letter case. */
export type HashPayer = (merchantId: string, vpa: string) => string

/** The payment as payment-status exports it. */
export function paymentOfExport(exported: ExportedPayment, hashPayer: HashPayer): NewPayment {
  const { merchant_id, order_id, status, sequence, version, amount_paise, method, rrn, failure_code, payer_vpa, rrns } = exported
  const payment = {
    _id: paymentKey(merchant_id, exported.transaction_id),
    slot: ownSlotOf(exported.transaction_id),
    ...{ merchant_id, order_id, status, sequence, version, amount_paise, method, rrn, failure_code },
    ...(payer_vpa === null ? {} : { payer_hash: hashPayer(merchant_id, payer_vpa) }),
    ...refundedOf(exported),
    created_at: new Date(exported.created_at),
    final_at: exported.final_at === null ? null : new Date(exported.final_at),
  }
  return { payment, rrns }
}

function refundedOf({ captures, refunds }: ExportedPayment): Pick<Payment, 'refund_state' | 'refunded_paise'> {
  const refunded_paise = succeededPaise(refunds)
  const capturedPaise = captures.find(({ accepted }) => accepted)?.amount_paise ?? 0
  const refund_state = refunded_paise === 0 ? 'none' : refunded_paise < capturedPaise ? 'partial' : 'full'
  return { refund_state, refunded_paise }
}

/** The `_id` of a payment. */
export function paymentKey(merchantId: string, transactionId: string): string {
  return `${merchantId}:${transactionId}`
}

export function transactionIdOf({ _id, merchant_id }: Pick<Payment, '_id' | 'merchant_id'>): string {
  return _id.slice(merchant_id.length + 1)
}
