/** The services' users on a separate RabbitMQ: what each user may do, and what the broker refuses. */
import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect, type ChannelModel } from 'amqplib'
import { ensureRootfs, nativeDataDir, nativeIsImpossible } from '@gateway-infra/offline/backing/rootfs'
import { startRabbitMq } from '@gateway-infra/offline/backing/rabbitmq'
import { instanceId, readPaths } from '@gateway-infra/system/paths'
import { choosePorts } from '@gateway-infra/system/ports'
import { openProcessBook } from '@gateway-infra/system/process-book'
import { createProgress } from '@gateway-infra/system/progress'
import { BROKER_SERVICES, type BrokerService } from '@gateway/contracts'
import { brokerDefinitions, connectBroker, createPublisher, declarationsOf, topology } from '@gateway/messaging'
import { eventually } from '@gateway/testkit'

const onDebian = (await nativeIsImpossible()) === undefined ? describe : describe.skip

const RETRY_DELAYS_MS = [1000, 60_000]
const PARK_DELAYS_MS = [500, 2000]
const passwords: Readonly<Record<BrokerService, string>> = {
  'order-api': randomBytes(12).toString('hex'),
  'payment-status': randomBytes(12).toString('hex'),
  'webhook-dispatcher': randomBytes(12).toString('hex'),
  ledger: randomBytes(12).toString('hex'),
}
const everything = topology('', RETRY_DELAYS_MS, PARK_DELAYS_MS)
const partitions = () => ({ consumed: 4, open: 4 })
const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined }

const EVENTS = [
  ...['order.created', 'transaction.status-changed', 'reversal.status-changed', 'refund.status-changed'],
  ...['order.created.3', 'transaction.status-changed.3', 'refund.status-changed.3'],
]
const QUEUES = [
  'payment-status.order-created',
  'payment-status.order-created.3',
  'payment-status.dead',
  'webhook-dispatcher.status-changed',
  'webhook-dispatcher.status-changed.3',
  'webhook-dispatcher.retries',
  'webhook-dispatcher.dead',
  '~ledger.events',
  '~ledger.events.3',
  'ledger.dead',
]

onDebian('each service has a user of its own on the broker', () => {
  const started = new AsyncDisposableStack()
  let urlOf: (service: BrokerService) => string
  beforeAll(async () => {
    const { cacheDir } = readPaths(process.env)
    const stateDir = await mkdtemp(join(tmpdir(), 'broker-users-'))
    const progress = createProgress(() => undefined)
    const [rootfs, ports] = [await ensureRootfs(cacheDir, progress), await choosePorts({ STACK_PORTS: 'auto' })]
    const dataDir = nativeDataDir(stateDir)
    started.defer(() => rm(join(rootfs, dataDir), { recursive: true, force: true }))
    started.defer(() => rm(stateDir, { recursive: true }))
    for (const folder of [join(stateDir, 'logs'), join(rootfs, dataDir)]) await mkdir(folder, { recursive: true })
    const definitions = brokerDefinitions({ passwords, administrator: { name: 'guest', password: 'guest' }, randomBytes })
    const broker = await startRabbitMq({
      ...{ rootfs, dataDir, logDir: join(stateDir, 'logs'), book: openProcessBook(stateDir, 'backing'), log: progress.log },
      ...{ nodeName: `gateway-${instanceId(stateDir)}`, port: ports.amqp, epmdPort: ports.epmd },
      definitions: JSON.stringify(definitions),
    })
    started.defer(() => broker.stop())
    urlOf = (service) => `amqp://${service}:${passwords[service]}@127.0.0.1:${ports.amqp}`
  }, 180_000)
  afterAll(() => started.disposeAsync(), 60_000)

  const connectAsService = (service: BrokerService) =>
    connectBroker({ url: urlOf(service), name: service, service, log: silent, topology: everything, partitions })
  const connectAs = async (service: BrokerService): Promise<ChannelModel & AsyncDisposable> => {
    const model = await connect(urlOf(service))
    model.on('error', () => undefined)
    return Object.assign(model, { [Symbol.asyncDispose]: async () => model.close().catch(() => undefined) })
  }
  /** The broker's answer to one command: `ok`, or the code of its refusal. */
  const attempt = async (
    model: ChannelModel,
    work: (channel: Awaited<ReturnType<typeof model.createConfirmChannel>>) => unknown,
  ) => {
    const channel = await model.createConfirmChannel()
    const closed = Promise.withResolvers<number>()
    channel.on('error', (error: { code?: number }) => closed.resolve(error.code ?? 0))
    const done = (async () => {
      await work(channel)
      await channel.waitForConfirms()
      return 'ok' as const
    })()
    done.catch(() => undefined)
    const outcome = await Promise.race([done.catch(() => closed.promise), closed.promise])
    if (outcome === 'ok') await channel.close()
    return outcome
  }
  const REFUSED = 403

  // Proves: broker/a-user-for-each-service
  test('each service declares what it needs, and the other services find it as they would declare it', async () => {
    for (const round of [1, 2])
      for (const service of BROKER_SERVICES) {
        const broker = connectAsService(service)
        await eventually(() => expect([round, service, broker.state]).toEqual([round, service, 'up']))
        await broker.close()
      }
    const model = await connect(urlOf('webhook-dispatcher').replace(/\/\/.*@/u, '//guest:guest@'))
    const all = BROKER_SERVICES.flatMap((service) => declarationsOf(service, everything, partitions()).queues)
    for (const { name } of all) expect(await attempt(model, (channel) => channel.checkQueue(name))).toBe('ok')
    await model.close()
  })

  // Proves: broker/a-user-for-each-service
  test.each([
    ['order-api', ['order.created', 'order.created.3']],
    [
      'payment-status',
      [
        ...['transaction.status-changed', 'reversal.status-changed', 'refund.status-changed'],
        ...['transaction.status-changed.3', 'refund.status-changed.3'],
      ],
    ],
    ['webhook-dispatcher', []],
    ['ledger', []],
  ] as const)('%s publishes the events %j and no other', async (service, allowed) => {
    await using model = await connectAs(service)
    const outcomes: Record<string, unknown> = {}
    for (const key of EVENTS) outcomes[key] = await attempt(model, (channel) => channel.publish('events', key, Buffer.from('{}')))
    expect(outcomes).toEqual(Object.fromEntries(EVENTS.map((key) => [key, allowed.some((own) => own === key) ? 'ok' : REFUSED])))
  })

  // Proves: broker/a-user-for-each-service
  test('each service publishes by the publisher of its own code', async () => {
    const sends = [
      ['order-api', { exchange: 'events', routingKey: 'order.created' }],
      ['payment-status', { exchange: 'events', routingKey: 'refund.status-changed' }],
      ['payment-status', { exchange: 'events', routingKey: 'refund.status-changed.3' }],
      ['webhook-dispatcher', everything.retryRoute(1000)],
      ['webhook-dispatcher', everything.parkRoutes.retries(500)],
      ['payment-status', { exchange: 'dead', routingKey: 'payment-status' }],
      ['webhook-dispatcher', { exchange: 'dead', routingKey: 'webhook-dispatcher' }],
      ['ledger', { exchange: 'dead', routingKey: 'ledger' }],
    ] as const
    for (const [service, route] of sends) {
      const broker = connectAsService(service)
      const publisher = createPublisher(broker, { confirmTimeoutMs: 10_000, maxInFlight: 10, log: silent })
      await eventually(() => expect(publisher.state).toBe('up'))
      const message = { messageId: 'm1', type: 'test', correlationId: 'c1', body: '{}', timestampMs: Date.now() }
      await publisher.publish({ ...message, ...route })
      await broker.close()
    }
  })

  // Proves: broker/a-user-for-each-service
  test.each([
    ['order-api', ['payment-status.order-created', 'payment-status.order-created.3', 'payment-status.dead']],
    [
      'payment-status',
      [
        ...['payment-status.order-created', 'payment-status.order-created.3', 'payment-status.dead'],
        ...['webhook-dispatcher.status-changed', 'webhook-dispatcher.status-changed.3', 'webhook-dispatcher.dead'],
      ],
    ],
    [
      'webhook-dispatcher',
      [
        ...['webhook-dispatcher.status-changed', 'webhook-dispatcher.status-changed.3'],
        ...['webhook-dispatcher.retries', 'webhook-dispatcher.dead'],
      ],
    ],
    ['ledger', ['~ledger.events', '~ledger.events.3', 'ledger.dead']],
  ] as const)('%s reads and deletes only queues that it declares', async (service, own) => {
    await using model = await connectAs(service)
    const outcomes: Record<string, unknown> = {}
    for (const queue of QUEUES)
      outcomes[queue] = await attempt(model, async (channel) => {
        const got = await channel.get(queue)
        if (got) channel.nack(got)
      })
    expect(outcomes).toEqual(
      Object.fromEntries(QUEUES.map((queue) => [queue, own.some((one) => one === queue) ? 'ok' : REFUSED])),
    )
    for (const queue of QUEUES.filter((name) => !own.some((one) => one === name)))
      expect([queue, await attempt(model, (channel) => channel.deleteQueue(queue))]).toEqual([queue, REFUSED])
  })

  // Proves: broker/a-user-for-each-service
  test('no service publishes past the exchanges, binds a queue of its own to a foreign event, or makes other queues', async () => {
    for (const service of BROKER_SERVICES) {
      await using model = await connectAs(service)
      const refused = [
        await attempt(model, (channel) => channel.sendToQueue('payment-status.order-created', Buffer.from('{}'))),
        await attempt(model, (channel) => channel.assertQueue('spy', { durable: false })),
        await attempt(model, (channel) => channel.assertExchange('spies', 'fanout')),
        await attempt(model, (channel) => channel.assertQueue('', { exclusive: true })),
      ]
      expect([service, refused]).toEqual([service, [REFUSED, REFUSED, REFUSED, REFUSED]])
    }
    for (const service of BROKER_SERVICES) {
      await using model = await connectAs(service)
      const forged = await attempt(model, (channel) =>
        channel.publish('events.partitions', 'refund.status-changed.3', Buffer.from('{}')),
      )
      expect([service, forged]).toEqual([service, REFUSED])
    }
    await using orders = await connectAs('order-api')
    const spied = 'payment-status.order-created.3'
    expect(await attempt(orders, (channel) => channel.bindQueue(spied, 'events', 'transaction.status-changed.3'))).toBe(REFUSED)
    expect(await attempt(orders, (channel) => channel.bindQueue(spied, 'events.partitions', '#'))).toBe(REFUSED)
    await using ledger = await connectAs('ledger')
    expect(await attempt(ledger, (channel) => channel.bindQueue('~ledger.events', 'events', 'order.created'))).toBe(REFUSED)
    expect(await attempt(ledger, (channel) => channel.bindQueue('~ledger.events', 'events', '#'))).toBe(REFUSED)
  })
})
