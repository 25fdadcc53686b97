import { parseRefundId, refundReport } from '@gateway/contracts'
import { applyRefundReport } from '../domain/refund-answer.ts'
import { type Adopt, type ChangeTransaction, refundsOf } from '../../payments/index.ts'
import {
  type GuardReport,
  masked,
  maskedId,
  type QuarantineReport,
  type RecordCallback,
  readReport,
} from '../../callbacks/index.ts'

/** Records the callback of a refund. */
export function makeRecordRefundReport(dependencies: {
  adopt: Pick<Adopt, 'byId'>
  change: ChangeTransaction
  guardReport: GuardReport
  quarantineReport: QuarantineReport
  now: () => Date
}): RecordCallback {
  const { adopt, change, guardReport, quarantineReport, now } = dependencies
  return async (body) => {
    const report = readReport(body, refundReport)
    const id = report && parseRefundId(report.refund_id)
    if (!id) return quarantineReport(body, 'unreadable', masked(body))
    const transaction = await adopt.byId(id.transactionId)
    if (!transaction || !refundsOf(transaction).some(({ n }) => n === id.n)) {
      const { refund_id, status, amount } = report
      return quarantineReport(body, 'unknown_transaction', JSON.stringify({ refund_id: maskedId(refund_id), status, amount }))
    }
    const safe = guardReport(report)
    await change(transaction, (before) => applyRefundReport(before, id.n, safe, now()))
    return 'recorded'
  }
}
