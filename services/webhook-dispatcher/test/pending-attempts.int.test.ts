import { silentLog } from '@gateway/service-kit'
import { connectDatabase, type Database } from '@gateway/service-kit/mongo'
import { createSandbox, type Sandbox } from '@gateway/testkit'
import { notSent, openDelivery, type Delivery } from '../src/deliveries/domain/delivery.ts'
import { mongoDeliveries, type Deliveries } from '../src/deliveries/persistence/deliveries.ts'
import { deliveryIndexes } from '../src/deliveries/persistence/delivery-indexes.ts'
import {
  mongoPendingAttempts,
  type PendingAttempt,
  type PendingAttempts,
} from '../src/deliveries/persistence/pending-attempts.ts'
import { anEvent } from './builders.ts'

let sandbox: Sandbox
let database: Database
let deliveries: Deliveries
let pendingAttempts: PendingAttempts
beforeAll(async () => {
  sandbox = await createSandbox()
  database = await connectDatabase({ url: sandbox.mongoUrl, name: sandbox.database('webhook_dispatcher'), log: silentLog })
  for (const indexes of deliveryIndexes(database.connection, 24 * 60 * 60 * 1000)) await indexes.build()
  deliveries = mongoDeliveries(database.connection)
  pendingAttempts = mongoPendingAttempts(database.connection)
})
afterAll(async () => {
  await database.close()
  await sandbox.remove([])
})

const URL_OF = 'https://merchant.example/'
const at = (seconds: number) => new Date(Date.parse('2026-01-01T00:00:00Z') + seconds * 1000)
const attemptOf = ({ id, merchant_id: merchantId }: Delivery): PendingAttempt => ({
  deliveryId: id,
  merchantId,
  attempt: 1,
  url: URL_OF,
})
async function aDelivery(): Promise<Delivery> {
  const delivery = openDelivery(anEvent('mer_waits'), { channel: 'payment', body: '{}' }, URL_OF, at(0))
  await deliveries.insert(delivery)
  return delivery
}
const nextAttemptOf = async ({ id }: Delivery) => {
  const state = (await deliveries.find(id))?.state
  return state?.status === 'retrying' ? state.next_attempt_at : undefined
}

test('of many messages for one attempt, only the one that its record waits for is parked again', async () => {
  const [delivery, other] = [await aDelivery(), await aDelivery()]
  expect(await pendingAttempts.park(attemptOf(delivery), at(30), at(0))).toBe(true)
  const copies = [1, 5, 10, 24].map((seconds) => pendingAttempts.park(attemptOf(delivery), at(seconds + 300), at(seconds)))
  const [ofOther, ...ofCopies] = await Promise.all([pendingAttempts.park(attemptOf(other), at(60), at(10)), ...copies])
  expect(ofCopies).toEqual([false, false, false, false])
  expect(ofOther).toBe(true)
  expect(await nextAttemptOf(delivery)).toEqual(at(30))
  expect(await nextAttemptOf(other)).toEqual(at(60))
  // The clock of this replica is slightly behind.
  expect(await pendingAttempts.park(attemptOf(delivery), at(90), at(28))).toBe(true)
  expect(await nextAttemptOf(delivery)).toEqual(at(90))
})

test('of copies that come in the same moment, one is parked again', async () => {
  const [delivery, other] = [await aDelivery(), await aDelivery()]
  const parked = [delivery, other, delivery, delivery].map((one) => pendingAttempts.park(attemptOf(one), at(30), at(0)))
  expect(await Promise.all(parked)).toEqual([true, true, false, false])
  expect(await nextAttemptOf(delivery)).toEqual(at(30))
})

// A retry is published after its record is stored, so a read that lacks it comes from a primary that a failover has left behind.
test('a message that is ahead of its record is parked again, not dropped', async () => {
  const known = await aDelivery()
  const [unknown, next] = [
    { ...attemptOf(known), deliveryId: anEvent('mer_waits').id },
    { ...attemptOf(known), attempt: 2 },
  ]
  expect(await pendingAttempts.park(unknown, at(60), at(1))).toBe(true)
  expect(await pendingAttempts.park(next, at(60), at(1))).toBe(true)
  expect(await nextAttemptOf(known)).toEqual(at(0))
})

test('a message whose attempt is made, running or goes to another URL is not parked', async () => {
  const [running, elsewhere, closed] = [await aDelivery(), await aDelivery(), await aDelivery()]
  await deliveries.claim(running, 1, { now: at(0), until: at(30) })
  await deliveries.reopen(elsewhere, 'https://merchant.example/new', at(0))
  await pendingAttempts.giveUp(attemptOf(closed), { note: noteOf(), reason: 'endpoint_disabled' }, at(0))
  for (const delivery of [running, elsewhere, closed]) {
    expect(await pendingAttempts.park(attemptOf(delivery), at(60), at(1))).toBe(false)
  }
  expect(await nextAttemptOf(running)).toEqual(at(0))
  // After the lease of a dead holder the attempt is pending again.
  expect(await pendingAttempts.park(attemptOf(running), at(90), at(31))).toBe(true)
})

// Proves: webhooks/late-claim-is-renewed
test('a claim is renewed only while no other replica has claimed or recorded the attempt', async () => {
  const delivery = await aDelivery()
  await deliveries.claim(delivery, 1, { now: at(0), until: at(30) })
  // Its own end is past: still nobody else has it.
  expect(await deliveries.renewClaim(delivery, 1, { until: at(30) }, { until: at(70) })).toMatchObject({ id: delivery.id })
  expect(await deliveries.renewClaim(delivery, 1, { until: at(30) }, { until: at(80) })).toBeUndefined()
  expect(await deliveries.claim(delivery, 1, { now: at(69), until: at(99) })).toBeUndefined()
  expect(await deliveries.claim(delivery, 1, { now: at(70), until: at(100) })).toMatchObject({ id: delivery.id })
  expect(await deliveries.renewClaim(delivery, 1, { until: at(70) }, { until: at(110) })).toBeUndefined()
  expect(await deliveries.renewClaim(delivery, 2, { until: at(100) }, { until: at(110) })).toBeUndefined()
})

const noteOf = () => notSent('endpoint_disabled', at(0))
