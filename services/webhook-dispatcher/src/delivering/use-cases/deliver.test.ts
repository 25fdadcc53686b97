import { begin, event, fresh, now, slotRequest } from '../../../test/first-delivery.ts'

// Proves: webhooks/common-path
test('the common path is one POST and one insert of the finished record, and nothing else', async () => {
  const { deliver, calls, inserted } = begin()
  expect(await deliver(event, fresh)).toBe('done')
  expect(calls).toEqual(['post', 'insert'])
  expect(inserted).toMatchObject([{ id: '01J.1', state: { status: 'delivered' }, attempt_count: 1, attempts: [{ number: 1 }] }])
})

// Proves: webhooks/redelivery-claims-the-record
test('an event that may already have been published claims its record before the POST', async () => {
  const { deliver, calls } = begin()
  expect(await deliver(event, { mayBeRepeated: true, timesParked: 0 })).toBe('done')
  expect(calls).toEqual(['insert', 'post', 'record'])
})

// Proves: webhooks/late-claim-is-renewed
test('a claim that was stored late is renewed before the POST; without it nothing is sent', async () => {
  const world = begin({ onInsert: () => void (world.clock.ms += 300) })
  expect(await world.deliver(event, { mayBeRepeated: true, timesParked: 0 })).toBe('done')
  expect(world.calls).toEqual(['insert', 'renew'])
  expect(world.limit.total).toBe(0)
})

test('at its limit an endpoint gets nothing and nothing is written; the slot is released', async () => {
  const { deliver, calls, limit } = begin()
  const release = limit.tryAcquire(slotRequest)
  expect(await deliver(event, fresh)).toEqual({ parkMs: 500 })
  expect(calls).toEqual([])
  release?.()
  expect(await deliver(event, fresh)).toBe('done')
  expect(limit.total).toBe(0)
})

test('the slot is released as soon as the exchange is over, before the record is stored', async () => {
  const held: number[] = []
  const { deliver, limit } = begin({ onInsert: () => void held.push(limit.total) })
  await deliver(event, fresh)
  await deliver(event, { mayBeRepeated: true, timesParked: 0 })
  expect(held).toEqual([0, 1])
})

test('at its limit again the delivery gets a record with its next attempt, without an attempt made, and joins the retries', async () => {
  const { deliver, calls, inserted, limit } = begin()
  limit.tryAcquire(slotRequest)
  expect(await deliver(event, { mayBeRepeated: false, timesParked: 1 })).toBe('done')
  expect(calls).toEqual(['insert', 'acknowledge', 'parked 2000'])
  const next_attempt_at = new Date(now.getTime() + 2000)
  expect(inserted).toMatchObject([{ state: { status: 'retrying', next_attempt_at }, attempt_count: 0, attempts: [] }])
})

test.each([
  [3000, 2000],
  [6000, 10_000],
])('at the limit of an endpoint that has been silent for %i ms it gets a record and waits for %i', async (silentMs, waitMs) => {
  const { deliver, calls, inserted, limit, clock } = begin()
  limit.tryAcquire(slotRequest)
  clock.ms += 500
  expect(await deliver(event, fresh)).toEqual({ parkMs: 500 })
  clock.ms += silentMs - 500
  expect(await deliver(event, fresh)).toBe('done')
  expect(calls).toEqual(['insert', 'acknowledge', `parked ${waitMs}`])
  expect(inserted).toMatchObject([{ state: { status: 'retrying' }, attempt_count: 0, attempts: [] }])
})

// Proves: webhooks/open-breaker-delays-deliveries
test('while the breaker is open the record says when the next attempt is due, and there is no POST', async () => {
  const { deliver, calls, inserted } = begin({ statusCode: 500 })
  await deliver(event, fresh)
  calls.length = 0
  expect(await deliver({ ...event, id: '01J.2' }, fresh)).toBe('done')
  expect(calls).toEqual(['insert', 'acknowledge', 'parked 10000'])
  expect(inserted.at(-1)).toMatchObject({ id: '01J.2', state: { status: 'retrying' }, attempt_count: 0 })
})

test('for a disabled endpoint the record is dead and says why; nothing is sent', async () => {
  const disabled = { at: now, reason: 'gone' } as const
  const { deliver, calls, inserted, settled } = begin({
    health: [{ url: slotRequest.url, failing_since: now, last_failure_at: now, disabled }],
  })
  expect(await deliver(event, fresh)).toBe('done')
  expect(calls).toEqual(['insert'])
  expect(settled).toEqual(['endpoint_disabled'])
  const state = { status: 'dead', reason: 'endpoint_disabled' }
  expect(inserted).toMatchObject([{ state, url: slotRequest.url, attempt_count: 0, attempts: [{ error: 'endpoint_disabled' }] }])
})

// Proves: webhooks/secret-cannot-be-opened
test.each([false, true])(
  'without a signing key nothing is sent, the attempt is recorded and retried, and the breaker stays closed',
  async (mayBeRepeated) => {
    const { deliver, calls, inserted, limit, settled } = begin({ keys: [] })
    for (const id of ['01J.1', '01J.2']) expect(await deliver({ ...event, id }, { mayBeRepeated, timesParked: 0 })).toBe('done')
    const each = mayBeRepeated ? ['insert', 'record', 'publish'] : ['insert', 'publish']
    expect(calls).toEqual([...each, ...each])
    expect(settled).toEqual(['retry', 'retry'])
    expect(limit.total).toBe(0)
    if (!mayBeRepeated) expect(inserted).toMatchObject([{ attempt_count: 1, attempts: [{ error: 'not_signed' }] }, {}])
  },
)

// Proves: webhooks/acknowledged-delivery-delivered
test.each([
  [200, ['post', 'insert', 'claim', 'record']],
  [500, ['post', 'insert', 'claim']],
])('when a duplicate has the record and its claim, answer %d leads to %j', async (statusCode, expected) => {
  const { deliver, calls } = begin({ statusCode, isNew: false })
  expect(await deliver(event, fresh)).toBe('done')
  expect(calls).toEqual(expected)
})

// Proves: webhooks/slow-endpoint-keeps-no-message
test.each([
  [false, ['post', 'insert', 'acknowledge', 'record']],
  [true, ['insert', 'post', 'acknowledge', 'record']],
])('the message of a slow exchange is acknowledged once a claimed record keeps the delivery', async (mayBeRepeated, expected) => {
  const { deliver, calls, settled } = begin({ isSlow: true })
  expect(await deliver(event, { mayBeRepeated, timesParked: 0 })).toBe('done')
  expect(calls).toEqual(expected)
  expect(settled).toEqual(['delivered'])
})

test('the message of a slow exchange stays when a duplicate has the record, or when the record cannot be stored', async () => {
  const duplicate = begin({ isSlow: true, isNew: false })
  expect(await duplicate.deliver(event, fresh)).toBe('done')
  expect(duplicate.calls).toEqual(['post', 'insert', 'insert', 'claim', 'record'])

  const onInsert = (): void => {
    if (withoutDatabase.calls.filter((call) => call === 'insert').length === 1) throw new Error('the database is away')
  }
  const withoutDatabase = begin({ isSlow: true, onInsert })
  expect(await withoutDatabase.deliver(event, fresh)).toBe('done')
  expect(withoutDatabase.calls).toEqual(['post', 'insert', 'insert'])
  expect(withoutDatabase.inserted).toMatchObject([{ state: { status: 'delivered' }, attempt_count: 1 }])
})

test('a webhook that may not go now keeps its message while the broker confirms nothing', async () => {
  const { deliver, calls, limit, broker } = begin()
  limit.tryAcquire(slotRequest)
  const again = { mayBeRepeated: false, timesParked: 1 }
  broker.isAway = true
  await expect(deliver(event, again)).rejects.toThrow('the broker is away')
  broker.isAway = false
  expect(await deliver({ ...event, id: '01J.2' }, again)).toBe('done')
  expect(await deliver({ ...event, id: '01J.3' }, again)).toBe('done')
  const first = ['insert', 'acknowledge', 'parked 2000']
  expect(calls).toEqual([...first, 'insert', 'parked 2000', ...first])
})
