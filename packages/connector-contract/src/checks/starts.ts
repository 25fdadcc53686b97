import { newTransactionId, reversalKey } from '@gateway/contracts'
import { demand, demandStatus, refuses, type Check, type CheckedMethod } from '../check.ts'
import { aStart, paymentsOf, readStarted, startOne } from '../steps.ts'

/** Checks of the methods that begin with a start. */
export const startChecks = (methods: readonly CheckedMethod[]): readonly Check[] => [
  ...methods.flatMap((method): Check[] => [
    {
      name: `start ${method}: 201 with a reference that an enquiry knows`,
      async run(bench) {
        const { request, response } = await startOne(bench, method)
        const references = (await paymentsOf(bench, request.tr)).map(({ reference }) => reference)
        demand(references.includes(response.reference), 'an enquiry does not know the reference')
      },
    },
    {
      name: `start ${method}: repeated and concurrent requests with one key are one payment`,
      async run(bench) {
        const request = aStart(bench, method)
        const send = async () => readStarted(await bench.connector.start(request, request.attempt_id))
        const answers = [...(await Promise.all([send(), send(), send()])), await send()]
        const references = new Set(answers.map(({ reference }) => reference))
        demand(references.size === 1, `one key was given ${references.size} references`)
        const payments = await paymentsOf(bench, request.tr)
        demand(payments.length === 1, `one key made ${payments.length} payments`)
      },
    },
  ]),
  refuses('start: the same key with another body is 409', 409, async (bench) => {
    const { request } = await startOne(bench, methods[0] ?? 'credit_card')
    return bench.connector.start({ ...request, amount: '500.00' }, request.attempt_id)
  }),
  {
    name: 'start: an invalid request is 422 and starts nothing',
    async run(bench) {
      const valid = aStart(bench, 'credit_card')
      const { card: _card, ...withoutCard } = valid
      const invalid: readonly (readonly [what: string, body: object, key?: string])[] = [
        ['without its card', withoutCard],
        ['with an amount that is not a number', { ...valid, amount: '1e3' }],
        ['with an unknown method', { ...valid, method: 'cash' }],
        ['with an object as tr', { ...valid, tr: { $gt: '' } }],
        ['with a script as return_url', { ...valid, return_url: 'javascript:alert(1)' }],
        ['without an idempotency key', valid, ''],
        ['with a key that is not its attempt_id', valid, `${valid.attempt_id}-2`],
      ]
      for (const [what, body, key = valid.attempt_id] of invalid)
        demandStatus(await bench.connector.start(body, key), 422, `a start ${what}`)
      demand((await paymentsOf(bench, valid.tr)).length === 0, 'a refused start made a payment')
    },
  },
]

/** A connector without `upi_collect`. */
export const noCollectChecks: readonly Check[] = [
  {
    name: 'start upi: a start with a VPA is 422 without upi_collect, and starts nothing',
    async run(bench) {
      const start = aStart(bench, 'upi')
      demandStatus(await bench.connector.start(start, start.attempt_id), 422, 'a UPI start with a VPA')
      demand((await paymentsOf(bench, start.tr)).length === 0, 'the refused start made a payment')
    },
  },
]

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
    demandStatus(await stranger.enquire({ tr: newTransactionId(new Date(), 0) }), 401, `an enquiry ${how}`)
    demandStatus(await stranger.reverse(reversal, reversalKey(reversal)), 401, `a reversal ${how}`)
    demand((await paymentsOf(bench, start.tr)).length === 0, `a start ${how} made a payment`)
  },
}))
