import { MAX_REFUNDS } from '@gateway/contracts'
import { at, opened, report, timing, T1 } from '../../../test/data.ts'
import { accepted, anyPart, requested } from '../../../test/refund-data.ts'
import {
  applyReport,
  applyReversalAnswer,
  MAX_STORED_PAYMENTS,
  toDocument,
  unchanged,
  type Decision,
} from '../../payments/index.ts'
import { applyRefundReport } from './refund-answer.ts'
import { requestRefund } from './request-refund.ts'

/** What one document may hold, in the database. */
const MAX_BYTES = 16 * 1024 * 1024

test('a payment with the most captures, reversals and refunds fits into its document with every event, each with a whole copy', () => {
  const referenceOf = (number: number): string => String(number).padStart(64, 'R')
  let transaction = opened()
  let eventBytes = 0
  const save = (decision: Decision): void => {
    transaction = decision.transaction
    eventBytes += Buffer.byteLength(JSON.stringify(toDocument(decision).outbox))
  }
  const numbers = Array.from({ length: MAX_STORED_PAYMENTS }, (_, number) => number)
  for (const number of numbers) {
    const rrn = String(number).padStart(35, '1')
    save(applyReport(transaction, report({ reference: referenceOf(number), rrn }), at(60), timing))
  }
  for (const number of numbers.slice(1))
    save(applyReversalAnswer(transaction, referenceOf(number), { status: 'succeeded', rrn: '2'.repeat(35) }, at(70), timing))
  for (let n = 1; n <= MAX_REFUNDS; n++) {
    const fields = { refund_id: `RF-${String(n).padStart(30, '0')}`, amount_paise: 100, note: 'न'.repeat(50) }
    save(accepted(requestRefund(transaction, requested(fields), anyPart, at(120))))
    const told = { refund_id: `${T1}R${String(n).padStart(2, '0')}`, amount: '1.00', rrn: '3'.repeat(35) } as const
    save(applyRefundReport(transaction, n, { ...told, status: 'returned' }, at(130)))
  }
  expect(transaction.reversals).toHaveLength(MAX_STORED_PAYMENTS - 1)
  expect(transaction.refunds).toHaveLength(MAX_REFUNDS)
  expect(eventBytes + Buffer.byteLength(JSON.stringify(toDocument(unchanged(transaction))))).toBeLessThan(MAX_BYTES)
})
