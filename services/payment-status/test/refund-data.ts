import type { RefundReport } from '@gateway/contracts'
import { applyReport } from '../src/payments/domain/reports.ts'
import {
  requestRefund,
  type RefundRefusal,
  type RefundRules,
  type RequestedRefund,
} from '../src/refunds/domain/request-refund.ts'
import type { Decision, Transaction } from '../src/payments/domain/transaction.ts'
import { at, opened, report, timing, T1 } from './data.ts'

/** The connector refunds parts for 180 days. */
export const anyPart: RefundRules = { windowDays: 180, partial: true }

/** An order of 499 rupees that was paid a minute after noon. */
export function paid(): Transaction {
  return applyReport(opened(), report({ rrn: '123456789012' }), at(60), timing).transaction
}

export function requested(fields: Partial<RequestedRefund> = {}): RequestedRefund {
  const amount_paise = fields.amount_paise ?? 20_000
  return {
    refund_id: 'RF-1',
    fingerprint: `of ${amount_paise}`,
    amount_paise,
    reason: 'other',
    note: '',
    requested_by: 'key_sandbox_1',
    ...fields,
  }
}

/** The transaction with a refund, requested two minutes after noon. */
export function refunding(before = paid(), fields: Partial<RequestedRefund> = {}): Transaction {
  return accepted(requestRefund(before, requested(fields), anyPart, at(120))).transaction
}

export function accepted(decision: Decision | RefundRefusal): Decision {
  if (typeof decision === 'string') throw new Error(`refused: ${decision}`)
  return decision
}

/** The network's report about refund 1 of 200 rupees. */
export function refundReportOf(fields: Partial<RefundReport> = {}): RefundReport {
  return { refund_id: `${T1}R01`, status: 'succeeded', amount: '200.00', ...fields }
}
