import { CHECKED_METHODS, demand, type Bench, type Check, type CheckedMethod } from '../check.ts'
import { inWords } from '../connector.ts'
import { aStart, paymentsOf, readStarted, startOne } from '../steps.ts'

export const startChecks: readonly Check[] = [
  ...CHECKED_METHODS.flatMap((method): Check[] => [
    {
      name: `start ${method}: 201 with a reference, and an enquiry knows it`,
      async run(bench) {
        const { request, response } = await startOne(bench, method)
        const payments = await paymentsOf(bench, request.tr)
        demand(
          payments.some(({ reference }) => reference === response.reference),
          'an enquiry does not know the reference',
        )
      },
    },
    {
      name: `start ${method}: the same key and body, again and at once, is one payment`,
      run: (bench) => demandIdempotency(bench, method),
    },
  ]),
  {
    name: 'start: the same key with another body is 409',
    async run(bench) {
      const { request } = await startOne(bench, 'upi')
      const answer = await bench.connector.start({ ...request, amount: '500.00' }, request.attempt_id)
      demand(answer.status === 409, `the other body was answered ${inWords(answer)}`)
    },
  },
  { name: 'start: what does not fit is 422, and starts nothing', run: demandValidation },
]

async function demandIdempotency(bench: Bench, method: CheckedMethod): Promise<void> {
  const request = aStart(bench, method)
  const send = async () => readStarted(await bench.connector.start(request, request.attempt_id))
  const answers = await Promise.all([send(), send(), send()])
  answers.push(await send())
  const references = new Set(answers.map(({ reference }) => reference))
  demand(references.size === 1, `one key was given ${references.size} references`)
  const payments = await paymentsOf(bench, request.tr)
  demand(payments.length === 1, `one key has made ${payments.length} payments`)
}

async function demandValidation(bench: Bench): Promise<void> {
  const right = aStart(bench, 'credit_card')
  const { card: _card, ...withoutCard } = right
  const wrong: readonly (readonly [what: string, body: object, key: string])[] = [
    ['without its card', withoutCard, right.attempt_id],
    ['of an amount that is none', { ...right, amount: '1e3' }, right.attempt_id],
    ['by an unknown method', { ...right, method: 'cash' }, right.attempt_id],
    ['for an object as tr', { ...right, tr: { $gt: '' } }, right.attempt_id],
    ['with a script to return to', { ...right, return_url: 'javascript:alert(1)' }, right.attempt_id],
    ['without an idempotency key', right, ''],
    ['under another key than its attempt', right, `${right.attempt_id}-2`],
  ]
  for (const [what, body, key] of wrong) {
    const answer = await bench.connector.start(body, key)
    demand(answer.status === 422, `a start ${what} was answered ${inWords(answer)}`)
  }
  demand((await paymentsOf(bench, right.tr)).length === 0, 'a refused start has made a payment')
}
