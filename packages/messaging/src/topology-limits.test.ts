import { queuesOf, topology } from './topology.ts'

const declared = topology('', [10_000, 60_000], [500])

// Proves: webhooks/one-queue-per-delay
test('a delay queue has the delay that its name says', () => {
  for (const { name, arguments: given } of [...declared.queues.waits, ...declared.queues.parks])
    expect(name.endsWith(`.${String(given['x-message-ttl'])}ms`)).toBe(true)
  expect(declared.queues.waits.map((queue) => queue.arguments['x-message-ttl'])).toEqual([10_000, 60_000])
})

test('only delay queues have a time to live', () => {
  const { waits, parks } = declared.queues
  for (const queue of queuesOf(declared)) expect('x-message-ttl' in queue.arguments).toBe([...waits, ...parks].includes(queue))
})

// Proves: broker/explicit-delivery-limit
test('the delivery limit is far above the broker’s default of 20; a dead queue has none', () => {
  for (const { name, arguments: given } of queuesOf(declared)) {
    const limit = Number(given['x-delivery-limit'])
    if (name.endsWith('.dead')) expect(limit).toBe(-1)
    else expect(limit).toBeGreaterThanOrEqual(100)
  }
})

test('a delay that is listed twice has one queue', () => {
  expect(topology('', [1000, 1000, 2000], [500]).queues.waits.map(({ name }) => name)).toEqual([
    'webhook-dispatcher.retry.1000ms',
    'webhook-dispatcher.retry.2000ms',
  ])
})

test('the leaders of all queues are spread over the nodes of a cluster', () => {
  for (const { arguments: given } of queuesOf(declared)) expect(given['x-queue-leader-locator']).toBe('balanced')
})
