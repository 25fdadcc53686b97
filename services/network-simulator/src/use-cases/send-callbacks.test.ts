import type { Payment } from '../domain/payment.ts'
import { planFor } from '../domain/plan.ts'
import type { Payments } from '../persistence/payments.ts'
import { makePayment, payerOf } from './create-payments.ts'
import { makeCallbackSender } from './send-callbacks.ts'

const now = new Date('2026-01-01T12:00:00Z')
const MAX_IN_FLIGHT = 100

function never(): never {
  throw new Error('is not called')
}

/** A sender whose callbacks are acknowledged, and whose results are saved, when the test says so. */
function begin() {
  const [acknowledged, saved] = [Promise.withResolvers<boolean>(), Promise.withResolvers<boolean>()]
  let made = 0
  const payments: Payments = {
    ...{ find: never, findByTransaction: never, findByAttempt: never, findByPage: never, findDue: never, save: never },
    insert: async () => true,
    saveLater: () => saved.promise,
  }
  const sender = makeCallbackSender({
    payments,
    sendCallback: () => acknowledged.promise,
    findTransaction: never,
    now: () => now,
    onGivenUp: never,
    onError: never,
  })
  const newIds = { reference: () => `R${(made += 1)}`, rrn: () => '612345678901', pageToken: never }
  const start = (): Promise<boolean> => sender.insertAndSend(paidPayments(newIds))
  return { sender, start, acknowledged, saved }
}

function paidPayments(newIds: Parameters<typeof makePayment>[3]): Payment[] {
  const facts = { tr: 'T1', method: 'upi', payer: payerOf('success@sandbox') } as const
  const plans = planFor('success', now, { amountPaise: 49900, expiresAt: null })
  return plans.map((plan) => makePayment(facts, plan, now, newIds))
}

const all = (start: () => Promise<boolean>) => Promise.all(Array.from({ length: MAX_IN_FLIGHT }, start))

test('while a hundred callbacks wait for their answers, a payment is refused', async () => {
  const { sender, start, acknowledged, saved } = begin()
  await all(start)
  await expect(start()).rejects.toMatchObject({ code: 'network_busy' })
  acknowledged.resolve(true)
  saved.resolve(true)
  await sender.drain()
})

test('a callback that is answered makes room, although its result is not saved yet; draining waits for that', async () => {
  const { sender, start, acknowledged, saved } = begin()
  await all(start)
  acknowledged.resolve(true)
  await new Promise(setImmediate)
  expect(await start()).toBe(true)
  let isDrained = false
  const drained = sender.drain().then(() => (isDrained = true))
  await new Promise(setImmediate)
  expect(isDrained).toBe(false)
  saved.resolve(true)
  await drained
})
