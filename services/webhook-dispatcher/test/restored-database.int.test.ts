/** Messages of a history that a restored database does not know. */
import { newTransactionId, type TransactionStatusChanged } from '@gateway/contracts'
import { anEvent, registerEndpoint } from './builders.ts'
import { startFixture, type Fixture } from './fixture.ts'

let fixture: Fixture
beforeAll(async () => {
  fixture = await startFixture()
})
afterAll(() => fixture.remove())

// Proves: operate/database-older-than-broker
test('a retry message of a delivery and a merchant that are gone is dropped: nothing is sent, recorded or left in a queue', async () => {
  const dispatcher = await fixture.start()
  const id = `${newTransactionId(new Date(), 0)}.2`
  const wakeUp = {
    type: 'webhook.retry',
    version: 1,
    delivery_id: id,
    attempt: 2,
    endpoint_id: 'mer_gone',
    url: fixture.receiver.url,
  }
  await fixture.publisher.publish({
    exchange: fixture.declared.exchanges.retry.name,
    routingKey: 'retries',
    messageId: `${id}/2`,
    type: 'webhook.retry',
    correlationId: 'c',
    body: JSON.stringify(wakeUp),
    timestampMs: Date.now(),
  })
  await fixture.queuesAreEmpty()
  // Messages that the replica still holds return to the queue when it stops.
  await fixture.stop(dispatcher)
  await fixture.queuesAreEmpty()
  expect(await fixture.delivery(id)).toBeNull()
  expect(fixture.receiver.requests()).toEqual([])
})

// Proves: operate/republish-after-restore
test('of events published again, those with a record are not sent again, and those without one are', async () => {
  const dispatcher = await fixture.start()
  await registerEndpoint(await fixture.as(dispatcher, 'mer_told'), fixture.receiver.url)
  const [told, untold] = [anEvent('mer_told'), anEvent('mer_told')]
  await fixture.publish(told)
  await fixture.deliveryIs(told.id, 'delivered')
  for (const event of [told, untold]) await republish(event)
  await fixture.deliveryIs(untold.id, 'delivered')
  // Messages that it still holds return to the queue when it stops.
  await fixture.stop(dispatcher)
  await fixture.queuesAreEmpty()
  expect(fixture.receiver.requests().map(({ headers }) => headers['webhook-id'])).toEqual([told.id, untold.id])
})

const republish = (event: TransactionStatusChanged): Promise<void> =>
  fixture.publisher.publish({
    ...{ exchange: fixture.declared.exchanges.events.name, routingKey: event.type, messageId: event.id, type: event.type },
    ...{ correlationId: event.correlation_id, body: JSON.stringify(event), timestampMs: Date.now() },
    headers: { 'maybe-published': true },
  })
