import { newTransactionId, reversalKey, reversalResponse, type ReversalRequest, type ReversalResponse } from '@gateway/contracts'
import { demand, demandBody, demandStatus, refuses, type Bench, type Check } from '../check.ts'
import type { Answer } from '../connector.ts'
import { capture, eventually } from '../steps.ts'

export const reversalChecks: readonly Check[] = [
  {
    name: 'reversal: repeated and concurrent requests reverse once and get the same answer',
    async run(bench) {
      const reversal = await aReversal(bench)
      const request = async () => read(await send(bench, reversal)).status
      for (const status of await Promise.all([request(), request()])) demand(status !== 'failed', 'a concurrent reversal failed')
      await eventually(bench, 'the reversal has not succeeded', async () => {
        const status = await request()
        demand(status !== 'failed', 'a repeated reversal failed')
        return status === 'succeeded' ? status : undefined
      })
      const status = await request()
      demand(status === 'succeeded', `after its success the reversal is ${status}`)
    },
  },
  {
    name: 'reversal: an amount other than the captured one fails',
    async run(bench) {
      const { status } = read(await send(bench, await aReversal(bench, { amount: '498.00' })))
      demand(status === 'failed', `another amount was answered ${status}`)
    },
  },
  refuses('reversal: the same key with another body is 409', 409, async (bench) => {
    const reversal = await aReversal(bench)
    read(await send(bench, reversal))
    return send(bench, { ...reversal, reason: 'duplicate' })
  }),
  refuses('reversal: an unknown reference is 404', 404, async (bench) =>
    send(bench, await aReversal(bench, { reference: 'NEVER-GIVEN' })),
  ),
  refuses('reversal: a reference of another tr is 404', 404, async (bench) =>
    send(bench, await aReversal(bench, { tr: newTransactionId(new Date(), 0) })),
  ),
  {
    name: 'reversal: an invalid request is 422',
    async run(bench) {
      const reversal = await aReversal(bench)
      const key = reversalKey(reversal)
      const { connector } = bench
      demandStatus(await connector.reverse({ ...reversal, amount: 'all' }, key), 422, 'an invalid amount')
      demandStatus(await connector.reverse({ ...reversal, reason: 'changed my mind' }, key), 422, 'an unknown reason')
      demandStatus(await connector.reverse(reversal, reversal.reference), 422, 'a key without its prefix')
    },
  },
]

/** A reversal of a UPI payment that has succeeded. */
async function aReversal(bench: Bench, fields: Partial<ReversalRequest> = {}): Promise<ReversalRequest> {
  const { request, response } = await capture(bench, 'upi')
  return { reference: response.reference, tr: request.tr, amount: request.amount, reason: 'late', ...fields }
}

function send({ connector }: Bench, reversal: ReversalRequest): Promise<Answer> {
  return connector.reverse(reversal, reversalKey(reversal))
}

function read(answer: Answer): ReversalResponse {
  return demandBody(answer, [200], reversalResponse, 'a reversal')
}
