import { newTransactionId, reversalKey } from '@gateway/contracts'
import { demand, type Bench, type Check } from '../check.ts'
import { inWords, type Connector } from '../connector.ts'
import { aStart, paymentsOf } from '../steps.ts'

export const accessChecks: readonly Check[] = [
  {
    name: 'access: every call without the API key is 401, and starts nothing',
    run: (bench) => demandRefusal(bench, bench.connector.withApiKey(undefined)),
  },
  {
    name: 'access: every call with another API key is 401, and starts nothing',
    run: (bench) => demandRefusal(bench, bench.connector.withApiKey('another-api-key-of-thirty-two-characters')),
  },
]

async function demandRefusal(bench: Bench, stranger: Connector): Promise<void> {
  const start = aStart(bench, 'upi')
  const reversal = { reference: 'NONE', tr: start.tr, amount: '499.00', reason: 'late' }
  const answers = [
    await stranger.start(start, start.attempt_id),
    await stranger.enquire({ tr: newTransactionId(new Date()) }),
    await stranger.reverse(reversal, reversalKey(reversal.reference)),
  ]
  for (const answer of answers) demand(answer.status === 401, `a stranger was answered ${inWords(answer)}`)
  demand((await paymentsOf(bench, start.tr)).length === 0, 'a stranger has started a payment')
}
