import fc from 'fast-check'
import { PARTITION_COUNTS } from '@gateway/contracts'
import { describeStates, nextOf, roundsOf, stepsTo, type ServiceState } from './steps.ts'

const counts = fc.constantFrom(...PARTITION_COUNTS)
const queuesOf = (partitions: number) =>
  Array.from({ length: partitions }, (_, partition) => ({ name: `q.${partition}`, partition, messages: 0, consumers: 1 }))

/** All services at these numbers. */
const statesAt = ({ consumed, open, publishes }: { consumed: number; open: number; publishes: number }): ServiceState[] => [
  { service: 'order-api', open, replicas: [{ publishes }], queues: [] },
  { service: 'payment-status', consumed, open, replicas: [{ consumes: consumed, publishes }], queues: queuesOf(consumed) },
  { service: 'ledger', consumed, replicas: [{ consumes: consumed }], queues: queuesOf(consumed) },
]
const kindsOf = (steps: ReturnType<typeof stepsTo>) =>
  'refused' in steps ? steps.refused : steps.map((step) => Object.values(step).join(' '))

test('more: every consumer first, then the publishers', () => {
  expect(kindsOf(stepsTo(4, statesAt({ consumed: 1, open: 1, publishes: 1 })))).toEqual([
    ...['consume payment-status', 'consume ledger'],
    ...['open order-api', 'open payment-status'],
  ])
})

test('fewer: close, rest, close what a replica may have opened meanwhile, drain', () => {
  expect(kindsOf(stepsTo(2, statesAt({ consumed: 4, open: 4, publishes: 2 })))).toEqual([
    ...['open order-api', 'open payment-status', 'rest'],
    ...['open order-api', 'open payment-status', 'drain payment-status', 'drain ledger'],
  ])
})

test('services take steps of one kind at once, and wait for one another before the next kind', () => {
  const steps = stepsTo(2, statesAt({ consumed: 4, open: 4, publishes: 2 }))
  if ('refused' in steps) throw new Error(steps.refused)
  expect(roundsOf(steps).map(kindsOf)).toEqual([
    ['open order-api', 'open payment-status'],
    ['rest'],
    ['open order-api', 'open payment-status'],
    ['drain payment-status', 'drain ledger'],
  ])
})

// Proves: broker/more-and-fewer-partitions-lose-nothing
test('while a replica publishes to more, nothing is closed', () => {
  fc.assert(
    fc.property(counts, counts, counts, (consumed, publishes, wanted) => {
      const steps = stepsTo(wanted, statesAt({ consumed, open: publishes, publishes }))
      expect('refused' in steps).toBe(publishes > wanted)
      if ('refused' in steps) expect(steps.refused).toContain(`QUEUE_PARTITIONS=${wanted} at order-api and payment-status`)
    }),
  )
})

// Proves: broker/partitions-go-back
test('from every state, no partition is opened before all consume it, and none is drained before it is closed', () => {
  fc.assert(
    fc.property(counts, counts, counts, counts, (one, other, open, wanted) => {
      const [orders, payments, ledger] = statesAt({ consumed: one, open, publishes: 1 })
      if (!orders || !payments || !ledger) throw new Error('three services')
      const steps = stepsTo(wanted, [orders, payments, { ...ledger, consumed: other, queues: queuesOf(other), replicas: [] }])
      if ('refused' in steps) throw new Error(steps.refused)
      const kinds = steps.map(({ kind }) => kind)
      const done = (consumed: number, service: string): boolean =>
        consumed === wanted ||
        steps.some((step) => step.kind === (consumed < wanted ? 'consume' : 'drain') && step.service === service)
      expect([done(one, 'payment-status'), done(other, 'ledger')]).toEqual([true, true])
      expect(kinds.lastIndexOf('consume')).toBeLessThan(kinds.indexOf('open'))
      if (kinds.includes('drain')) {
        expect(kinds.indexOf('rest')).toBeGreaterThan(kinds.indexOf('open'))
        expect(kinds.indexOf('drain')).toBeGreaterThan(kinds.lastIndexOf('open'))
      }
    }),
  )
})

test('a queue that an interrupted run has left is deleted, and a replica that does not consume yet is waited for', () => {
  const [orders, payments, ledger] = statesAt({ consumed: 2, open: 2, publishes: 2 })
  if (!orders || !payments || !ledger) throw new Error('three services')
  expect(kindsOf(stepsTo(2, [orders, { ...payments, queues: queuesOf(3) }, ledger]))).toContain('drain payment-status')
  const starting = { ...ledger, replicas: [{ consumes: 2 }, { consumes: 0 }] }
  expect(kindsOf(stepsTo(2, [orders, payments, starting]))).toContain('consume ledger')
})

test('the operator reads what to do next, and how far each service is', () => {
  expect(nextOf(4, statesAt({ consumed: 4, open: 4, publishes: 1 }))).toContain('Set QUEUE_PARTITIONS=4 at order-api')
  expect(nextOf(4, statesAt({ consumed: 4, open: 4, publishes: 4 }))).toBeUndefined()
  expect(describeStates(statesAt({ consumed: 1, open: 1, publishes: 1 }))).toEqual([
    'order-api            open 1, published to 1',
    'payment-status       consumed 1, by 1 of 1 replicas; open 1, published to 1',
    `  ${'q.0'.padEnd(40)} 0 messages, 1 consumers`,
    'ledger               consumed 1, by 1 of 1 replicas',
    `  ${'q.0'.padEnd(40)} 0 messages, 1 consumers`,
  ])
})
