import fc from 'fast-check'
import { BROKER_SERVICES } from '@gateway/contracts'
import { declarationsOf, eventTopology, everythingOf, partitionsAt, queuesOf, topology } from './topology.ts'

const delays = fc.array(fc.integer({ min: 1, max: 86_400_000 }), { maxLength: 10 })

// Proves: broker/names
test('the names on the broker do not change', () => {
  const declared = topology('', [10_000, 60_000], [2000, 500])
  expect(Object.values(declared.exchanges)).toEqual([
    { name: 'events', type: 'topic' },
    { name: 'webhook.retry', type: 'direct' },
    { name: 'dead', type: 'direct' },
    { name: 'events.partitions', type: 'topic', internal: true },
  ])
  expect(queuesOf(declared).map(({ name }) => name)).toEqual([
    'payment-status.dead',
    'webhook-dispatcher.dead',
    'ledger.dead',
    'payment-status.order-created',
    'webhook-dispatcher.status-changed',
    'webhook-dispatcher.refund-changed',
    'webhook-dispatcher.retries',
    '~ledger.events',
    'webhook-dispatcher.park.first-attempts.500ms',
    'webhook-dispatcher.park.refund-attempts.500ms',
    'webhook-dispatcher.park.retries.500ms',
    'webhook-dispatcher.park.retries.2000ms',
    'webhook-dispatcher.retry.10000ms',
    'webhook-dispatcher.retry.60000ms',
  ])
})

// Proves: broker/quorum-queues, broker/never-x-expires
test('every queue is a quorum queue with a delivery limit that rejects instead of dropping, and never expires', () => {
  fc.assert(
    fc.property(delays, delays, (retryDelaysMs, parkDelaysMs) => {
      for (const queue of queuesOf(topology('p.', retryDelaysMs, parkDelaysMs))) {
        expect(queue.arguments).toMatchObject({ 'x-queue-type': 'quorum', 'x-overflow': 'reject-publish' })
        expect(queue.arguments).toHaveProperty('x-delivery-limit')
        expect(queue.arguments).not.toHaveProperty('x-expires')
        expect(queue.name.startsWith('p.')).toBe(true)
        const deadLetters = 'x-dead-letter-exchange' in queue.arguments
        expect(queue.arguments['x-dead-letter-strategy']).toBe(deadLetters ? 'at-least-once' : undefined)
        expect(deadLetters).toBe(!queue.name.endsWith('.dead'))
      }
    }),
  )
})

// Proves: broker/dead-letters-arrive
test('every dead-lettered message and every route leads to exactly one queue', () => {
  fc.assert(
    fc.property(delays, delays, (retryDelaysMs, parkDelaysMs) => {
      const declared = topology('', retryDelaysMs, parkDelaysMs)
      const queues = queuesOf(declared)
      const bound = ({ exchange, routingKey }: { exchange: unknown; routingKey: unknown }) =>
        queues.filter(({ bindings }) => bindings.some((b) => b.exchange === exchange && b.routingKey === routingKey))
      const routes = [
        ...(parkDelaysMs.length === 0 ? [] : [declared.parkRoutes.firstAttempts(Math.min(...parkDelaysMs))]),
        ...parkDelaysMs.map(declared.parkRoutes.retries),
        ...retryDelaysMs.map(declared.retryRoute),
      ]
      const deadLetters = queues
        .filter(({ name }) => !name.endsWith('.dead'))
        .map((queue) => ({
          exchange: queue.arguments['x-dead-letter-exchange'],
          routingKey: queue.arguments['x-dead-letter-routing-key'],
        }))
      for (const route of [...routes, ...deadLetters, ...queues.map(({ deadRoute }) => deadRoute)])
        expect(bound(route)).toHaveLength(1)
    }),
  )
})

test('asking for the route of a delay without a queue throws', () => {
  expect(() => topology('', [1_000], [500]).retryRoute(2_000)).toThrow(RangeError)
  expect(() => topology('', [1_000], [500]).parkRoutes.retries(1_000)).toThrow(RangeError)
})

// RabbitMQ stores an event in its queues in the order of their names (ADR 17).
test('of the queues of an event, those that a webhook waits for come first by name', () => {
  const { partition } = eventTopology('p.')
  for (const number of [0, 7])
    for (const key of ['statusChanged', 'refundChanged'] as const) {
      const { name } = partition(key, number)
      expect([name, partition('ledgerEvents', number).name].toSorted()[0]).toBe(name)
    }
})

// Proves: ledger/own-queue
test('only the ledger declares its queues, which hold every event about a payment', () => {
  const declared = eventTopology('p.')
  const declaring = [everythingOf(declared), ...BROKER_SERVICES.map((service) => declarationsOf(service, declared))]
  expect(declaring.map(({ queues }) => queues.includes(declared.queues.ledgerEvents))).toEqual([false, false, false, false, true])
  expect(declarationsOf('ledger', declared).queues.map(({ name }) => name)).toEqual(['p.ledger.dead', 'p.~ledger.events'])
  expect(declared.queues.ledgerEvents).toMatchObject({
    arguments: { 'x-queue-type': 'quorum', 'x-dead-letter-exchange': 'p.dead', 'x-dead-letter-routing-key': 'ledger' },
    bindings: [
      { exchange: 'p.events', routingKey: 'transaction.status-changed' },
      { exchange: 'p.events', routingKey: 'reversal.status-changed' },
      { exchange: 'p.events', routingKey: 'refund.status-changed' },
    ],
  })
  expect(declared.queues.ledgerDead.bindings).toEqual([{ exchange: 'p.dead', routingKey: 'ledger' }])
})

// Proves: broker/partitions-open-for-all-at-once
test('the queues of a partition get its events by one exchange, and nothing that returns after a delay', () => {
  const { partition, queues } = eventTopology('p.')
  expect(partition('statusChanged', 3)).toEqual({
    ...queues.statusChanged,
    name: 'p.webhook-dispatcher.status-changed.3',
    bindings: [{ exchange: 'p.events.partitions', routingKey: 'transaction.status-changed.3' }],
  })
  expect(partition('statusChanged', 0)).toEqual(queues.statusChanged)
})

// Proves: broker/partitions-open-for-all-at-once
test('a consumer declares the partitions that it consumes; a publisher those to which it publishes, and opens them', () => {
  const all = eventTopology('')
  const declaredBy = (service: 'order-api' | 'payment-status' | 'webhook-dispatcher') => {
    const { exchanges, queues } = declarationsOf(service, all, { consumed: 4, open: 2 })
    const inPartitions = queues.map(({ name }) => name).filter((name) => /\.\d+$/u.test(name))
    return { queues: inPartitions, opens: exchanges.flatMap(({ bindings = [] }) => bindings) }
  }
  const opens = [{ exchange: 'events', routingKey: '*.*.1' }]
  expect(declaredBy('order-api')).toEqual({ queues: ['payment-status.order-created.1'], opens })
  expect(declaredBy('payment-status')).toEqual({
    queues: [
      ...[1, 2, 3].map((partition) => `payment-status.order-created.${partition}`),
      ...['webhook-dispatcher.status-changed.1', 'webhook-dispatcher.refund-changed.1'],
    ],
    opens,
  })
  const dispatcher = declaredBy('webhook-dispatcher')
  expect([dispatcher.queues.length, dispatcher.opens]).toEqual([6, []])
  expect(partitionsAt('ledger', all, 1).map(({ name }) => name)).toEqual(['~ledger.events.1'])
})

test('with one partition no exchange is declared for others', () => {
  for (const service of BROKER_SERVICES)
    expect(declarationsOf(service, eventTopology('')).exchanges.map(({ name }) => name)).not.toContain('events.partitions')
})
