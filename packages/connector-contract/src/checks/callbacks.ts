import { parseAmount } from '@gateway/contracts'
import { CHECKED_METHODS, demand, type Check } from '../check.ts'
import { aStart, callbackAbout, readStarted, sentAgain, startable, startOne } from '../steps.ts'

export const callbackChecks: readonly Check[] = [
  ...CHECKED_METHODS.map((method): Check => ({
    name: `callback ${method}: a success is reported with its tr, method and amount`,
    async run(bench) {
      const started = await startOne(bench, method)
      const { report } = await callbackAbout(bench, started, (callback) => callback.report?.outcome === 'success')
      const { request } = started
      demand(report?.tr === request.tr, `the tr is ${request.tr}, but ${report?.tr} was reported`)
      demand(report.method === method, `the method is ${method}, but ${report.method} was reported`)
      demand(parseAmount(report.amount) === parseAmount(request.amount), `another amount, ${report.amount}, was reported`)
    },
  })),
  {
    name: 'callback: each is signed with the secret, over the bytes that are sent',
    async run(bench) {
      const { authentic } = await callbackAbout(bench, await startOne(bench, 'upi'))
      demand(authentic, 'the signature or its timestamp is wrong')
    },
  },
  {
    name: 'callback: an unacknowledged callback is sent again with the same webhook-id',
    async run(bench) {
      const request = aStart(bench, startable(bench)[0] ?? 'credit_card')
      bench.callbacks.refuseOnce(request.attempt_id)
      const response = readStarted(await bench.connector.start(request, request.attempt_id))
      await sentAgain(bench, ({ report }) => report?.reference === response.reference)
    },
  },
]
