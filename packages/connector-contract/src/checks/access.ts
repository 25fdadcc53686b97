import { newTransactionId, reversalKey } from '@gateway/contracts'
import { demand, demandStatus, type Check } from '../check.ts'
import { aStart, paymentsOf } from '../steps.ts'

const WRONG_KEYS = [
  ['without the API key', undefined],
  ['with another API key', 'another-api-key-of-thirty-two-characters'],
] as const

export const accessChecks: readonly Check[] = WRONG_KEYS.map(([how, apiKey]) => ({
  name: `access: every call ${how} is 401 and starts nothing`,
  async run(bench) {
    const stranger = bench.connector.withApiKey(apiKey)
    const start = aStart(bench, 'upi')
    const reversal = { reference: 'NONE', tr: start.tr, amount: '499.00', reason: 'late' }
    demandStatus(await stranger.start(start, start.attempt_id), 401, `a start ${how}`)
    demandStatus(await stranger.enquire({ tr: newTransactionId(new Date()) }), 401, `an enquiry ${how}`)
    demandStatus(await stranger.reverse(reversal, reversalKey(reversal)), 401, `a reversal ${how}`)
    demand((await paymentsOf(bench, start.tr)).length === 0, `a start ${how} made a payment`)
  },
}))
