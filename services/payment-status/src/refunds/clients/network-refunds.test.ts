import { silentLog } from '@gateway/service-kit'
import { startJsonServer } from '@gateway/testkit'
import { T1 } from '../../../test/data.ts'
import { refunding, refundReportOf } from '../../../test/refund-data.ts'
import { refundsOf } from '../../payments/index.ts'
import { createNetworkRefunds } from './network-refunds.ts'

// Proves: refunds/only-a-clear-failed-releases
test('an answer about another amount is unclear, and the log names the refund and that amount', async () => {
  const report = refundReportOf({ status: 'failed', amount: '199.00' })
  const network = await startJsonServer(({ method }) => ({
    status: 200,
    body: method === 'POST' ? report : { refund_id: report.refund_id, refunds: [report] },
  }))
  const logged: unknown[] = []
  const log = { ...silentLog, warn: (_message: string, fields?: object) => void logged.push(fields) }
  const client = createNetworkRefunds({ url: network.url, apiKey: 'n'.repeat(32) }, (same) => same, log)
  const transaction = refunding()
  const [refund] = refundsOf(transaction)
  if (!refund) throw new Error('the transaction has a refund')
  try {
    expect([await client.request(transaction, refund), await client.enquire(transaction, refund)]).toEqual(['unclear', 'unclear'])
  } finally {
    await network.stop()
  }
  const about = { refund_id: `${T1}R01`, status: 200, amount: '199.00' }
  expect(logged).toEqual([
    { ...about, operation: 'refund' },
    { ...about, operation: 'enquire refund' },
  ])
})
