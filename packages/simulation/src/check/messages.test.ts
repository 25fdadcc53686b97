import { MAYBE_PUBLISHED_HEADER } from '@gateway/messaging'
import type { Entry } from '../mongo/branch.ts'
import type { Message } from '../rabbit/message.ts'
import { Committed } from './committed.ts'
import type { Mark } from './marks.ts'
import { createMessageChecks } from './messages.ts'

const NOW_MS = 10_000
const QUEUE = 'webhook-dispatcher.status-changed'
const DELAY_QUEUE = 'webhook-dispatcher.park.first-attempts.500ms'
const message = (): Message => ({
  ...{ exchange: '', routingKey: '', properties: { messageId: 'T1.1' }, content: Buffer.from('{}') },
})

function begin() {
  const broken: string[] = []
  const marks: Mark[] = []
  const violate = (rule: string): void => void broken.push(rule)
  const time = { nowMs: NOW_MS }
  const committed = new Committed(violate, () => time.nowMs)
  const mark = (what: Mark): void => void marks.push(what)
  const { observer, onWebhook } = createMessageChecks(committed, violate, mark, () => time.nowMs)
  return { committed, observer, onWebhook, broken, marks, time }
}

// Proves: faults/simulation-checks-find-broken-rules
test('S13: a queue is deleted only when it is empty', () => {
  const { observer, broken } = begin()
  observer.onDeleted?.(QUEUE, 0)
  expect(broken).toEqual([])
  observer.onDeleted?.(QUEUE, 1)
  expect(broken).toEqual(['S13 no message goes with its queue'])
})

const DISPATCHER = { name: 'webhook-dispatcher 1', lastPause: undefined }
const S8 = ['S8 acknowledged after its effect']

// Proves: faults/simulation-checks-find-broken-rules
test('S8: a delayed message may be acknowledged while its copy waits; the copy itself may not, once its delay has ended', () => {
  const { observer, broken } = begin()
  const [original, copy] = [message(), message()]
  observer.onStored?.(QUEUE, original)
  observer.onStored?.(DELAY_QUEUE, copy)
  observer.onAck?.('webhook-dispatcher 1', QUEUE, original)
  expect(broken).toEqual([])
  // The delay ends: the copy is stored in the next queue before it leaves the delay queue.
  observer.onStored?.(QUEUE, copy)
  observer.onDead?.(DELAY_QUEUE, copy)
  observer.onAck?.('webhook-dispatcher 2', QUEUE, copy)
  expect(broken).toEqual(S8)
})

test('S8: the copy is acknowledged after its effect', () => {
  const { committed, observer, broken } = begin()
  const copy = message()
  observer.onStored?.(DELAY_QUEUE, copy)
  observer.onStored?.(QUEUE, copy)
  observer.onDead?.(DELAY_QUEUE, copy)
  const after = { _id: 'T1.1', status: 'delivered' }
  const change = { kind: 'write', namespace: 'webhook_dispatcher.deliveries', id: 'T1.1', after } satisfies Entry['change']
  committed.onCommit({ change })
  observer.onAck?.('webhook-dispatcher 2', QUEUE, copy)
  expect(broken).toEqual([])
})

test('S8: a message that was never delayed is not excused', () => {
  const { observer, broken } = begin()
  observer.onStored?.(QUEUE, message())
  observer.onStored?.(QUEUE, message())
  observer.onAck?.('webhook-dispatcher 1', QUEUE, message())
  expect(broken).toEqual(S8)
})

test.each([
  ['claimed the attempt', { claimed_until: new Date(NOW_MS + 5000) }, []],
  ['made the attempt due later', { next_attempt_at: new Date(NOW_MS + 5000) }, []],
  ['done nothing', {}, S8],
])('S8: a retry is acknowledged late, when another replica has %s since its delivery', (_what, fields, expected) => {
  const world = begin()
  const retries = 'webhook-dispatcher.retries'
  const retry = { ...message(), properties: { messageId: 'T1.1#2' } }
  const waiting = {
    _id: 'T1.1',
    status: 'retrying',
    attempt_count: 1,
    claimed_until: new Date(0),
    next_attempt_at: new Date(NOW_MS),
  }
  const record = (after: typeof waiting) => {
    const change = { kind: 'write', namespace: 'webhook_dispatcher.deliveries', id: 'T1.1', after } satisfies Entry['change']
    world.committed.onCommit({ change })
  }
  record(waiting)
  world.observer.onStored?.(retries, retry)
  world.observer.onDeliver?.(DISPATCHER.name, retries, { message: retry, acquired: 0, deliveries: 0, expiresAt: Infinity })
  record({ ...waiting, ...fields })
  world.time.nowMs = NOW_MS + 10_000
  world.observer.onAck?.(DISPATCHER.name, retries, retry)
  expect(world.broken).toEqual(expected)
})

const S5 = ['S5 no webhook without a right']

/** One replica holds an event, unmarked, and a marked copy of it. It delays the one and sends the other. */
function originalAndCopy({ delaysTheCopy }: { delaysTheCopy: boolean }) {
  const world = begin()
  const { committed, observer, onWebhook } = world
  const marked = (isMaybePublished: boolean): Message => ({
    ...message(),
    properties: { messageId: 'T1.1', headers: { [MAYBE_PUBLISHED_HEADER]: isMaybePublished } },
  })
  const deliver = (one: Message) =>
    observer.onDeliver?.(DISPATCHER.name, QUEUE, { message: one, acquired: 0, deliveries: 0, expiresAt: Infinity })
  const record = (fields: object) => {
    const after = { _id: 'T1.1', ...fields }
    committed.onCommit({
      change: { kind: 'write', namespace: 'webhook_dispatcher.deliveries', id: 'T1.1', after },
    })
  }
  for (const isMaybePublished of [false, true]) {
    const event = { ...marked(isMaybePublished), exchange: 'events' }
    observer.onPublish?.('payment-status 1', event, [QUEUE])
    deliver(event)
  }
  // The event is in no outbox here, which is a matter of S3.
  world.broken.length = 0
  const delayed = marked(delaysTheCopy)
  observer.onPublish?.(DISPATCHER.name, delayed, [DELAY_QUEUE])
  if (!delaysTheCopy) record({ status: 'retrying', claimed_until: new Date(NOW_MS + 1000) })
  onWebhook(DISPATCHER, 'T1.1', 1)
  record({ status: 'delivered', claimed_until: new Date(0) })
  deliver(delayed)
  return world
}

test('S5: an original that was delayed while its copy was sent may still be sent, once', () => {
  const { onWebhook, broken } = originalAndCopy({ delaysTheCopy: false })
  onWebhook(DISPATCHER, 'T1.1', 1)
  expect(broken).toEqual([])
  onWebhook(DISPATCHER, 'T1.1', 1)
  expect(broken).toEqual(S5)
})

test('S5: a copy that was delayed gives no second right', () => {
  const { onWebhook, broken } = originalAndCopy({ delaysTheCopy: true })
  expect(broken).toEqual([])
  onWebhook(DISPATCHER, 'T1.1', 1)
  expect(broken).toEqual(S5)
})
