import { MAX_REFUNDS } from '@gateway/contracts'
import {
  acceptedCapture,
  amend,
  type Decision,
  type Refund,
  refundablePaise,
  refundsOf,
  refundStatusChanged,
  type Transaction,
  unchanged,
} from '../../payments/index.ts'

/** What a merchant asks to refund; `requested_by` is the id of the credential that asked. */
export type RequestedRefund = Pick<Refund, 'refund_id' | 'fingerprint' | 'amount_paise' | 'reason' | 'note' | 'requested_by'>

/** What the connector can refund; `null` when it supports no refunds. */
export type RefundRules = { readonly windowDays: number; readonly partial: boolean } | null

/** Why a refund is refused. These are the problem codes of the API. */
export const REFUND_REFUSALS = [
  'refund_id_conflict',
  'order_not_refundable',
  'refunds_not_supported',
  'refund_window_closed',
  'too_many_refunds',
  'refund_exceeds_captured',
] as const
export type RefundRefusal = (typeof REFUND_REFUSALS)[number]

const DAY_MS = 24 * 60 * 60 * 1000

/** How long after its success a payment can be refunded. A connector may set a shorter window. */
const WINDOW_DAYS = 180

/** Accepts a refund in the capture's own document, whose version guards the sum of all refunds. Repeating changes nothing. */
export function requestRefund(
  before: Transaction,
  requested: RequestedRefund,
  rules: RefundRules,
  now: Date,
): Decision | RefundRefusal {
  const known = findRefund(before, requested.refund_id)
  if (known) return known.fingerprint === requested.fingerprint ? unchanged(before) : 'refund_id_conflict'
  const refusal = whyNoRefund(before, requested, rules, now)
  if (refusal) return refusal

  const refund: Refund = {
    ...requested,
    ...{ n: refundsOf(before).length + 1, status: 'pending', sequence: 1, pending_reason: 'queued' },
    ...{ failure_code: null, network_code: null, rrn: null },
    ...{ created_at: now, updated_at: now, completed_at: null, requests: 0, due_at: now },
  }
  const decision = amend(unchanged(before), now, { refunds: [...refundsOf(before), refund] })
  return { ...decision, moneyEvents: [refundStatusChanged(decision.transaction, refund)] }
}

export function findRefund(transaction: Pick<Transaction, 'refunds'>, refundId: string): Refund | undefined {
  return refundsOf(transaction).find((refund) => refund.refund_id === refundId)
}

function whyNoRefund(
  transaction: Transaction,
  { amount_paise }: RequestedRefund,
  rules: RefundRules,
  now: Date,
): RefundRefusal | undefined {
  const capture = acceptedCapture(transaction)
  if (!capture || !transaction.final_at) return 'order_not_refundable'
  if (!rules) return 'refunds_not_supported'
  const windowMs = Math.min(WINDOW_DAYS, rules.windowDays) * DAY_MS
  if (now.getTime() > transaction.final_at.getTime() + windowMs) return 'refund_window_closed'
  if (amount_paise > refundablePaise(transaction)) return 'refund_exceeds_captured'
  if (refundsOf(transaction).length >= MAX_REFUNDS) return 'too_many_refunds'
  if (!rules.partial && amount_paise !== capture.amount_paise) return 'refunds_not_supported'
  return undefined
}
