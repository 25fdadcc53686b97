import { queuesOf } from '../src/index.ts'
import { startFixture, type Fixture } from './fixture.ts'

let fixture: Fixture
beforeAll(async () => {
  fixture = await startFixture()
})
afterAll(() => fixture.stop())

/** The broker refuses to declare an existing name with other properties, so a successful declaration proves the properties. */
// Proves: broker/durable-exchanges-queues
test('exchanges and queues are durable on the broker, with the declared arguments', async () => {
  for (const { name, type, internal = false } of Object.values(fixture.declared.exchanges)) {
    const channel = await fixture.direct.createChannel()
    await channel.assertExchange(name, type, { durable: true, internal })
    await channel.close()
    const other = await fixture.direct.createChannel()
    other.on('error', () => undefined)
    await expect(other.assertExchange(name, type, { durable: false, internal })).rejects.toThrow(/PRECONDITION/u)
  }
  for (const { name, arguments: given } of queuesOf(fixture.declared)) {
    const channel = await fixture.direct.createChannel()
    await channel.assertQueue(name, { durable: true, arguments: given })
    await channel.close()
    const other = await fixture.direct.createChannel()
    other.on('error', () => undefined)
    await expect(other.assertQueue(name, { durable: true, arguments: { 'x-queue-type': 'classic' } })).rejects.toThrow(
      /PRECONDITION/u,
    )
  }
})
