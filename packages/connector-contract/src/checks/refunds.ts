import { formatRefundId, newTransactionId, reversalKey, reversalResponse } from '@gateway/contracts'
import { demand, demandStatus, refuses, type Check } from '../check.ts'
import { inWords } from '../connector.ts'
import { aRefund, enquireRefund, isAmountOf, read, send, untilEnded } from '../refund-steps.ts'
import { capture, eventually, sentAgain } from '../steps.ts'

/** Checks of a connector with refunds. They refund whole captures, which every such connector supports. */
export const refundChecks: readonly Check[] = [
  {
    name: 'refund: succeeds with an rrn, an enquiry agrees, and its callback is signed',
    async run(bench) {
      const refund = await aRefund(bench)
      read(await send(bench, refund), refund)
      const report = await untilEnded(bench, refund)
      demand(report.status === 'succeeded' && (report.rrn ?? '') !== '', `the refund ended as ${JSON.stringify(report)}`)
      const callback = await eventually(bench, 'no callback has reported the success', () =>
        bench.callbacks.received.find(({ refund: sent }) => sent?.refund_id === refund.refund_id && sent.status === 'succeeded'),
      )
      demand(callback.authentic, 'the signature of its callback is wrong')
      demand(isAmountOf(refund, callback.refund), 'its callback reports another amount')
    },
  },
  {
    name: 'refund: an unacknowledged callback is sent again with the same webhook-id',
    async run(bench) {
      const refund = await aRefund(bench)
      bench.callbacks.refuseOnce(refund.refund_id)
      read(await send(bench, refund), refund)
      await sentAgain(bench, (callback) => callback.refund?.refund_id === refund.refund_id)
    },
  },
  {
    name: 'refund: repeated and concurrent requests with one key refund once',
    async run(bench) {
      // Twice the amount is more than the capture, so a second refund under the key would fail.
      const refund = await aRefund(bench)
      const request = async () => read(await send(bench, refund), refund)
      for (const { status } of await Promise.all([request(), request()]))
        demand(status !== 'failed', 'a concurrent request failed')
      const { status } = await untilEnded(bench, refund)
      demand(
        status === 'succeeded' && (await request()).status === 'succeeded',
        `the refund is ${status}, but the answers to repeated requests differ`,
      )
    },
  },
  {
    name: 'refund: never more than the capture, and a failed refund stays failed',
    async run(bench) {
      const first = await aRefund(bench)
      const others = [2, 3].map((n) => ({ ...first, refund_id: formatRefundId(first.tr, n) }))
      await Promise.all([first, ...others].map(async (refund) => read(await send(bench, refund), refund)))
      const ended = await Promise.all([first, ...others].map((refund) => untilEnded(bench, refund)))
      const failed = ended.filter(({ status }) => status === 'failed')
      demand(failed.length === 2, `of three whole refunds ${failed.length} failed`)
      const again = [first, ...others].find(({ refund_id }) => refund_id === failed[0]?.refund_id) ?? first
      demand(read(await send(bench, again), again).status === 'failed', 'a failed refund succeeded when it was asked again')
    },
  },
  refuses('refund: the same key with another body is 409', 409, async (bench) => {
    const refund = await aRefund(bench)
    read(await send(bench, refund), refund)
    return send(bench, { ...refund, amount: '498.00' })
  }),
  refuses('refund: the same key for another payment is 409', 409, async (bench) => {
    const refund = await aRefund(bench)
    read(await send(bench, refund), refund)
    const other = await capture(bench, 'credit_card', { tr: refund.tr })
    return send(bench, { ...refund, reference: other.response.reference })
  }),
  refuses('refund: a reference of another tr is 404', 404, async (bench) => {
    const tr = newTransactionId(new Date(), 0)
    return send(bench, await aRefund(bench, { tr, refund_id: formatRefundId(tr, 1) }))
  }),
  refuses('refund: an unknown reference is 404', 404, async (bench) =>
    send(bench, await aRefund(bench, { reference: 'NEVER-GIVEN' })),
  ),
  {
    name: 'refund: an invalid request is 422',
    async run(bench) {
      const refund = await aRefund(bench)
      const ask = (fields: object, key = refund.refund_id) => bench.connector.refund({ ...refund, ...fields }, key)
      demandStatus(await ask({ amount: 'all' }), 422, 'an invalid amount')
      demandStatus(await ask({ amount: '0.00' }), 422, 'an amount of nothing')
      demandStatus(await ask({ reason: 'regret' }), 422, 'an unknown reason')
      demandStatus(await ask({}, `${refund.refund_id}-2`), 422, 'a key that is not its refund_id')
    },
  },
  {
    name: 'refund: what was refunded cannot be reversed',
    async run(bench) {
      const refund = await aRefund(bench)
      read(await send(bench, refund), refund)
      await untilEnded(bench, refund)
      const reversal = { reference: refund.reference, tr: refund.tr, amount: '499.00', reason: 'late' }
      const answer = await bench.connector.reverse(reversal, reversalKey(reversal))
      const isRefused = answer.status === 200 && reversalResponse(answer.body) && answer.body.status === 'failed'
      demand(isRefused, `a reversal after the refund was answered ${inWords(answer)}`)
    },
  },
  {
    name: 'refund enquiry: an unknown refund is an empty list, an invalid query is 422',
    async run(bench) {
      demand(
        (await enquireRefund(bench, formatRefundId(newTransactionId(new Date(), 0), 1))) === undefined,
        'an unknown refund is listed',
      )
      demandStatus(await bench.connector.enquireRefund({ refund_id: 'lower case' }), 422, 'an invalid refund_id')
      demandStatus(await bench.connector.enquireRefund({}), 422, 'a query without a refund_id')
    },
  },
  {
    name: 'refund: every call without the API key is 401 and refunds nothing',
    async run(bench) {
      const refund = await aRefund(bench)
      const stranger = bench.connector.withApiKey(undefined)
      demandStatus(await stranger.refund(refund, refund.refund_id), 401, 'a refund')
      demandStatus(await stranger.enquireRefund({ refund_id: refund.refund_id }), 401, 'an enquiry')
      demand((await enquireRefund(bench, refund.refund_id)) === undefined, 'a refund was made')
    },
  },
]

/** Checks of a connector with partial refunds. */
export const partialRefundChecks: readonly Check[] = [
  {
    name: 'refund in parts: several parts together are never more than the capture',
    async run(bench) {
      const whole = await aRefund(bench)
      const parts = [1, 2, 3].map((n) => ({ ...whole, refund_id: formatRefundId(whole.tr, n), amount: '200.00' }))
      await Promise.all(parts.map(async (refund) => read(await send(bench, refund), refund)))
      const ended = await Promise.all(parts.map((refund) => untilEnded(bench, refund)))
      const succeeded = ended.filter(({ status }) => status === 'succeeded').length
      demand(succeeded === 2, `of three refunds of 200 of 499 rupees ${succeeded} succeeded`)
      const rest = { ...whole, refund_id: formatRefundId(whole.tr, 4), amount: '99.00' }
      read(await send(bench, rest), rest)
      demand((await untilEnded(bench, rest)).status === 'succeeded', 'the rest of the capture was not refunded')
    },
  },
]
