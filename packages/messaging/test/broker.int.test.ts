import { setTimeout as sleep } from 'node:timers/promises'
import { silentLog } from '@gateway/service-kit'
import { hangUp, openConnection } from '../src/amqp.ts'
import { versionOf } from '../src/broker.ts'
import { connectBroker, createPublisher } from '../src/index.ts'
import { startTcpProxy } from '@gateway/testkit/tcp-proxy'
import { AMQP_URL, startFixture, until } from './fixture.ts'

test('starting succeeds while the broker is away, and connects when it is back', async () => {
  const real = new URL(AMQP_URL)
  const proxy = await startTcpProxy({ targetHost: real.hostname, targetPort: Number(real.port || 5672) })
  proxy.cut()
  real.host = `127.0.0.1:${proxy.port}`
  const warnings: unknown[] = []
  const log = { ...silentLog, warn: (_message: string, fields: unknown) => warnings.push(fields) }
  const broker = connectBroker({ url: real.href, name: 'messaging test', log })
  await until('it was tried more than once', () => warnings.length > 2)
  expect(broker.state).toBe('down')
  proxy.restore()
  await until('the broker is up', () => broker.state === 'up')
  await broker.close()
  expect(broker.state).toBe('down')
  await until('no connection is left', () => proxy.connections === 0)
  await proxy.stop()
})

test('closing takes a limited time and leaves no connection, even when the broker does not answer', async () => {
  const fixture = await startFixture()
  fixture.proxy.freeze()
  await fixture.broker.close()
  expect(fixture.broker.state).toBe('down')
  // A frozen proxy does not notice that its clients have closed.
  fixture.proxy.restore()
  await until('no connection is left', () => fixture.proxy.connections === 0)
  await expect(fixture.broker.publishing.connected()).rejects.toMatchObject({ code: 'broker_unavailable' })
  await fixture.stop()
})

// Proves: broker/version-below-4-0-refused-below-4-3-warned
test('the version of the broker is read from its connection', async () => {
  const model = await openConnection(AMQP_URL, 'messaging test')
  expect(versionOf(model)).toMatch(/^\d+\.\d+\.\d+/u)
  await hangUp(model)
})

// Proves: broker/publishing-consuming-separate-connections
test('publishing and consuming have a connection each', async () => {
  const fixture = await startFixture()
  expect(fixture.proxy.connections).toBe(2)
  await fixture.stop()
})

test('closing the connection ourselves logs no warning', async () => {
  const warnings: string[] = []
  const log = { ...silentLog, warn: (message: string) => warnings.push(message) }
  const broker = connectBroker({ url: AMQP_URL, name: 'messaging test', log })
  const publisher = createPublisher(broker, { confirmTimeoutMs: 1_000, maxInFlight: 1, log })
  await until('the publisher is up', () => publisher.state === 'up')
  await broker.close()
  await until('its channel has ended too', () => publisher.state === 'down')
  await sleep(50)
  expect(warnings).toEqual([])
})

test('a URL that is not AMQP is refused at once', () => {
  expect(() => connectBroker({ url: 'http://127.0.0.1', name: 'test', log: silentLog })).toThrow(TypeError)
})

// Proves: deploy/next-broker-node-is-tried
test('with several nodes the next one is tried until one answers', async () => {
  const real = new URL(AMQP_URL)
  const target = { targetHost: real.hostname, targetPort: Number(real.port || 5672) }
  const [one, other] = [await startTcpProxy(target), await startTcpProxy(target)]
  const urls = [one, other].map(({ port }) => {
    const url = new URL(AMQP_URL)
    url.host = `127.0.0.1:${port}`
    return url.href
  })
  const broker = connectBroker({ url: urls.join(', '), name: 'messaging test', log: silentLog, random: () => 0 })
  await until('the broker is up', () => broker.state === 'up')
  expect([one.connections, other.connections]).toEqual([2, 0])
  one.cut()
  await until('both connections are at the other node', () => broker.state === 'up' && other.connections === 2)
  await broker.close()
  await Promise.all([one.stop(), other.stop()])
})
