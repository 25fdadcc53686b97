import fc from 'fast-check'
import { REFUND_STATUSES } from '@gateway/contracts'
import { refundFits, refundPosition, type LedgerRefund, type RefundFilter } from '../domain/refund.ts'
import { makeListRefunds } from './list-refunds.ts'

function aRefund(number: number, status: LedgerRefund['view']['status'], paise: number): LedgerRefund {
  const at = new Date(Date.UTC(2026, 10, 23) + number).toISOString()
  const view = {
    ...{ id: `T${number}R01`, refund_id: `RF-${number}`, order_id: `ORD-${number % 3}`, transaction_id: `T${number}` },
    ...{ amount: (paise / 100).toFixed(2), currency: 'INR' as const, status, pending_reason: null, failure_code: null },
    ...{ rrn: null, sequence: 1, reason: 'other' as const, note: '', created_at: at, updated_at: at, completed_at: null },
  }
  return { merchantId: 'M1', version: 1, view }
}

test('walking all pages shows exactly the refunds that fit, newest first, whatever the page size', async () => {
  const some = fc.array(fc.record({ status: fc.constantFrom(...REFUND_STATUSES), paise: fc.integer({ min: 1, max: 10_000 }) }), {
    maxLength: 60,
  })
  const property = fc.asyncProperty(
    some,
    fc.integer({ min: 1, max: 20 }),
    fc.integer({ min: 1, max: 9999 }),
    async (made, limit, minPaise) => {
      const newestFirst = made.map(({ status, paise }, index) => aRefund(index, status, paise)).toReversed()
      const listRefunds = makeListRefunds((_filter, before = '~', chunk) =>
        Promise.resolve(newestFirst.filter(({ view }) => refundPosition(view) < before).slice(0, chunk)),
      )
      const filter: RefundFilter = { merchantId: 'M1', status: 'succeeded', minPaise }
      const walked: LedgerRefund[] = []
      let next: string | undefined
      do {
        const page = await listRefunds(filter, next, limit)
        expect(page.refunds.length).toBeLessThanOrEqual(limit)
        walked.push(...page.refunds)
        next = page.next
      } while (next !== undefined)
      expect(walked).toEqual(newestFirst.filter((refund) => refundFits(refund, filter)))
    },
  )
  await fc.assert(property)
})

test('one page examines 5,000 refunds at most, and the next one goes on behind them', async () => {
  let examined = 0
  const listRefunds = makeListRefunds((_filter, _before, chunk) => {
    const from = examined
    examined += chunk
    return Promise.resolve(Array.from({ length: chunk }, (_, index) => aRefund(100_000 - from - index, 'failed', 100)))
  })
  const page = await listRefunds({ merchantId: 'M1', status: 'succeeded' }, undefined, 20)
  expect([examined, page.refunds, page.next]).toEqual([5000, [], refundPosition(aRefund(100_000 - 4999, 'failed', 100).view)])
})
