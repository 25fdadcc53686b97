import { eventually } from '@gateway/testkit'
import { silentLog } from '@gateway/service-kit'
import { connectDatabase, type Database } from '@gateway/service-kit/mongo'
import { recordResults } from '../src/domain/callback.ts'
import type { Payment } from '../src/domain/payment.ts'
import { mongoPayments, type Payments } from '../src/persistence/payments.ts'
import { startFixture, type Fixture } from './fixture.ts'

let fixture: Fixture
let database: Database
let payments: Payments
beforeAll(async () => {
  // Longer than the test takes on any machine: a callback that is given up makes room for another payment.
  fixture = await startFixture({ callbackTimeoutMs: 90_000 })
  database = await connectDatabase({ url: fixture.config.mongoUrl, name: fixture.config.database, log: silentLog })
  payments = mongoPayments(database.connection)
})
afterAll(async () => {
  await database.close()
  await fixture.stop()
})

const pay = (intent: string) =>
  fixture.call<{ code?: string; reference?: string }>('POST', '/sandbox/upi/pay', { intent, vpa: 'success@sandbox' })

test('at the in-flight limit of callbacks a payment is refused, and nothing of it is stored', async () => {
  const released = Promise.withResolvers<undefined>()
  fixture.gateway.answer(async () => {
    await released.promise
    return { status: 200 }
  })
  const orders = Array.from({ length: 130 }, () => fixture.order())
  const answers = await Promise.all(orders.map(({ intent }) => pay(intent)))
  const refused = orders.filter((_order, index) => answers[index]?.status !== 202)
  expect(refused).toHaveLength(30)
  for (const { status, body } of answers) if (status !== 202) expect([status, body.code]).toEqual([503, 'network_busy'])
  const stored = await fixture.stored()
  for (const { tr } of refused) expect(stored).not.toContain(tr)

  released.resolve(undefined)
  await eventually(async () => expect((await pay(refused[0]?.intent ?? '')).status).toBe(202), { deadlineMs: 30_000 })
  const reported = () => orders.filter(({ tr }) => fixture.callbacksOf(tr).length > 0).length
  await eventually(() => expect(reported()).toBe(101), { deadlineMs: 30_000 })
})

test('batched saves all resolve to true, or all to false, and then each can be repeated', async () => {
  fixture.gateway.answer(() => ({ status: 200 }))
  const made = await Promise.all(Array.from({ length: 12 }, async () => paid()))
  const acknowledged = (payment: Payment): Payment =>
    recordResults(payment, new Map(payment.callbacks.map(({ id }) => [id, 'acknowledged' as const])), new Date())
  const saveAll = (all: readonly Payment[]) =>
    Promise.all(all.map((payment) => payments.saveLater(payment, { ...acknowledged(payment), rrn: '000000000001' })))
  expect(new Set(await saveAll(made))).toEqual(new Set([true]))

  // Another caller has saved one of them first.
  const before = await Promise.all(made.map(({ reference }) => mustFind(reference)))
  const [other] = before
  if (other) await payments.save(other, { ...other, rrn: '000000000002' })
  expect(new Set(await saveAll(before))).toEqual(new Set([false]))
  const after = await Promise.all(made.map(({ reference }) => mustFind(reference)))
  expect(after.map(({ rrn }) => rrn)).toEqual(['000000000002', ...Array<string>(11).fill('000000000001')])
  expect(await saveAll(after)).not.toContain(false)
})

/** A payment whose callback is recorded, so that the sender does not write it any more. */
async function paid(): Promise<Payment> {
  const { tr, intent } = fixture.order()
  // Hanging callbacks of the previous test may still be in flight; until they end, payments are refused.
  await eventually(async () => expect((await pay(intent)).status).toBe(202), { deadlineMs: 30_000 })
  return eventually(async () => {
    const [payment] = await payments.findByTransaction(tr)
    expect(payment?.callbacks.map(({ state }) => state)).toEqual(['acknowledged'])
    if (!payment) throw new Error('no payment found')
    return payment
  })
}

async function mustFind(reference: string): Promise<Payment> {
  const payment = await payments.find(reference)
  if (!payment) throw new Error(`payment ${reference} not found`)
  return payment
}
