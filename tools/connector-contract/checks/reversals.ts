import { newTransactionId, reversalKey, reversalResponse, type ReversalRequest, type ReversalResponse } from '@gateway/contracts'
import { demand, type Bench, type Check } from '../check.ts'
import { inWords, type Answer } from '../connector.ts'
import { capture, eventually } from '../steps.ts'

export const reversalChecks: readonly Check[] = [
  {
    name: 'reversal: asked for again and at once, it is made once and answered the same',
    run: demandIdempotency,
  },
  {
    name: 'reversal: another amount than was captured is refused with failed',
    async run(bench) {
      const reversal = await aReversal(bench, { amount: '498.00' })
      const { status } = read(await send(bench, reversal))
      demand(status === 'failed', `another amount was answered ${status}`)
    },
  },
  {
    name: 'reversal: the same key with another body is 409',
    async run(bench) {
      const reversal = await aReversal(bench)
      read(await send(bench, reversal))
      const answer = await send(bench, { ...reversal, reason: 'duplicate' })
      demand(answer.status === 409, `the other body was answered ${inWords(answer)}`)
    },
  },
  {
    name: 'reversal: an unknown reference is 404',
    async run(bench) {
      const answer = await send(bench, { ...(await aReversal(bench)), reference: 'NEVER-GIVEN' })
      demand(answer.status === 404, `the unknown reference was answered ${inWords(answer)}`)
    },
  },
  {
    name: 'reversal: a reference of another tr is 404, and stays as it is',
    async run(bench) {
      const reversal = await aReversal(bench)
      const answer = await send(bench, { ...reversal, tr: newTransactionId(new Date()) })
      demand(answer.status === 404, `the other tr was answered ${inWords(answer)}`)
    },
  },
  {
    name: 'reversal: what does not fit is 422, and reverses nothing',
    async run(bench) {
      const reversal = await aReversal(bench)
      const { reference } = reversal
      const answers = [
        await bench.connector.reverse({ ...reversal, amount: 'all' }, reversalKey(reference)),
        await bench.connector.reverse({ ...reversal, reason: 'changed my mind' }, reversalKey(reference)),
        await bench.connector.reverse(reversal, reference),
      ]
      for (const answer of answers) demand(answer.status === 422, `it was answered ${inWords(answer)}`)
    },
  },
]

async function demandIdempotency(bench: Bench): Promise<void> {
  const reversal = await aReversal(bench)
  const answers = await Promise.all([send(bench, reversal), send(bench, reversal)])
  for (const answer of answers) demand(read(answer).status !== 'failed', `a reversal was answered ${inWords(answer)}`)
  await eventually(bench, 'the reversal has not succeeded', async () => {
    const { status } = read(await send(bench, reversal))
    demand(status !== 'failed', 'asked for again, the reversal has failed')
    return status === 'succeeded' ? status : undefined
  })
  const { status } = read(await send(bench, reversal))
  demand(status === 'succeeded', `after its success the reversal is ${status}`)
}

/** Of a payment by UPI that has succeeded. */
async function aReversal(bench: Bench, fields: Partial<ReversalRequest> = {}): Promise<ReversalRequest> {
  const { request, response } = await capture(bench, 'upi')
  return { reference: response.reference, tr: request.tr, amount: request.amount, reason: 'late', ...fields }
}

function send({ connector }: Bench, reversal: ReversalRequest): Promise<Answer> {
  return connector.reverse(reversal, reversalKey(reversal.reference))
}

function read(answer: Answer): ReversalResponse {
  const { status, body } = answer
  demand(status === 200 && reversalResponse(body), `a reversal was answered ${inWords(answer)}`)
  return body
}
