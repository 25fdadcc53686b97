import type { Entry } from '../mongo/log.ts'
import type { Message } from '../rabbit/message.ts'
import { Committed } from './committed.ts'
import type { Mark } from './marks.ts'
import { createMessageChecks } from './messages.ts'

const QUEUE = 'webhook-dispatcher.status-changed'
const DELAY_QUEUE = 'webhook-dispatcher.park.first-attempts.500ms'
const message = (): Message => ({
  ...{ exchange: '', routingKey: '', properties: { messageId: 'T1.1' }, content: Buffer.from('{}') },
})

function begin() {
  const broken: string[] = []
  const marks: Mark[] = []
  const violate = (rule: string): void => void broken.push(rule)
  const committed = new Committed(violate)
  const { observer } = createMessageChecks({ committed, violate, mark: (mark) => void marks.push(mark), nowMs: () => 0 })
  return { committed, observer, broken, marks }
}

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
  observer.onDead?.(DELAY_QUEUE, copy, 'expired', 'dead-lettered')
  observer.onAck?.('webhook-dispatcher 2', QUEUE, copy)
  expect(broken).toEqual(S8)
})

test('S8: the copy is acknowledged after its effect', () => {
  const { committed, observer, broken } = begin()
  const copy = message()
  observer.onStored?.(DELAY_QUEUE, copy)
  observer.onStored?.(QUEUE, copy)
  observer.onDead?.(DELAY_QUEUE, copy, 'expired', 'dead-lettered')
  const after = { _id: 'T1.1', status: 'delivered' }
  const change = { kind: 'write', namespace: 'webhook_dispatcher.deliveries', id: 'T1.1', after } satisfies Entry['change']
  committed.onCommit({ index: 1, term: 1, at: 0, change })
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
