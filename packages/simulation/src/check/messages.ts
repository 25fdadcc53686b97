import { MAYBE_PUBLISHED_HEADER } from '@gateway/messaging'
import type { BrokerObserver } from '../rabbit/queues.ts'
import type { Message } from '../rabbit/message.ts'
import { headersOf, idOf, isRedelivered } from '../rabbit/message.ts'
import { CUSTOMER } from '../actors/merchants.ts'
import { serviceOf } from '../kernel/network.ts'
import type { SimulatedProcess } from '../kernel/process.ts'
import { createAcknowledged, isDelayQueue } from './acknowledged.ts'
import type { Committed, Violate } from './committed.ts'
import type { Mark } from './marks.ts'

const SECRETS = [CUSTOMER.name, CUSTOMER.email, CUSTOMER.phone, CUSTOMER.id]
/** Clocks of replicas differ. */
const TOLERANCE_MS = 500

/** Looks at every message: S3, S5, S7, S8, and that none holds a customer's data (S12). */
export function createMessageChecks(committed: Committed, violate: Violate, mark: (what: Mark) => void, nowMs: () => number) {
  const storedIn = new Map<Buffer, number>()
  const queuesOf = new Map<Buffer, number>()
  const sent = new Set<string>()
  /** Copies of events that may have been handled before; a copy keeps its bytes on its way through queues. */
  const second = new WeakSet<Buffer>()
  const fresh = new Set<string>()
  const lastDelivered = new Map<string, Buffer>()
  const acknowledged = createAcknowledged(committed, nowMs)

  function onPublish(client: string, message: Message, queues: readonly string[]): void {
    const [id, text] = [idOf(message), message.content.toString('utf8')]
    for (const secret of SECRETS) if (text.includes(secret)) violate('S12 no customer in messages', `${id} holds ${secret}`)
    const isMaybePublished = headersOf(message)[MAYBE_PUBLISHED_HEADER] === true
    if (serviceOf(client) === 'webhook-dispatcher') {
      const name = `${client} ${id}`
      // When a replica holds an original and a copy of it, the message that it delays without a mark is the original.
      if (!isMaybePublished && fresh.delete(name)) return
      const origin = lastDelivered.get(name)
      if (origin && second.has(origin)) second.add(message.content)
      return
    }
    if (!message.exchange.endsWith('events')) return
    const body = committed.bodyOf(id)
    if (body === undefined) violate('S3 only committed events', `${id} was published and is not committed`)
    else if (body !== text) violate('S3 only committed events', `${id} was published with other bytes`)
    if (isMaybePublished) mark('an event was published again')
    // Of the copies that are not marked only the first is the original; it may arrive after a marked one.
    if (isMaybePublished || sent.has(id)) second.add(message.content)
    else sent.add(id)
    queuesOf.set(message.content, queues.length)
    if (queues.length === 0) committed.published(id)
  }

  const observer: BrokerObserver = {
    onPublish,
    onStored(queue, message) {
      const id = idOf(message)
      acknowledged.stored(queue, id)
      if (isDelayQueue(queue)) mark('a delivery was delayed')
      const stored = (storedIn.get(message.content) ?? 0) + 1
      storedIn.set(message.content, stored)
      if (stored >= (queuesOf.get(message.content) ?? Infinity)) committed.published(id)
    },
    onDeliver(client, _queue, stored) {
      const { message } = stored
      const name = `${client} ${idOf(message)}`
      if (isRedelivered(stored)) mark('a message was redelivered')
      if (isRedelivered(stored)) second.add(message.content)
      lastDelivered.set(name, message.content)
      acknowledged.received(message)
      if (!second.has(message.content)) fresh.add(name)
    },
    ...checkPartitions(violate, mark),
    onDead: (queue, message) => acknowledged.left(queue, idOf(message)),
    onUnconfirmed: () => mark('a confirm was lost'),
    onBlocked: () => mark('a publisher was blocked'),
    onAck(_client, queue, message) {
      acknowledged.left(queue, idOf(message))
      const problem = acknowledged.whyNot(queue, message)
      if (problem !== undefined) violate('S8 acknowledged after its effect', problem)
    },
  }

  return {
    observer,
    /** S5: a replica is about to send a webhook. */
    onWebhook: (process: Webhooking, id: string, attempt: number): void => {
      // A copy is sent under a claim, which leaves the right of an original in the same replica.
      if (hasClaim(process, committed.delivery(id)?.claimed_until, nowMs())) return
      if (attempt === 1 && fresh.delete(`${process.name} ${id}`)) return
      violate('S5 no webhook without a right', `${process.name} sends attempt ${attempt} of ${id} without a claim`)
    },
  }
}

/** S13. */
function checkPartitions(violate: Violate, mark: (what: Mark) => void): BrokerObserver {
  return {
    onDeleted(queue, messages) {
      if (/\.\d+$/u.test(queue)) mark('a partition was deleted')
      if (messages > 0) violate('S13 no message goes with its queue', `${queue} was deleted with ${messages} messages`)
    },
  }
}

type Webhooking = Pick<SimulatedProcess, 'name' | 'lastPause'>

/** Whether a replica may believe that its claim still holds. */
function hasClaim({ lastPause: pause }: Webhooking, claimedUntil: Date | undefined, nowMs: number): boolean {
  const claimedUntilMs = claimedUntil?.getTime() ?? 0
  // A process that was paused when its claim ended cannot know it.
  const hasMissedIt = pause !== undefined && pause.untilMs + TOLERANCE_MS >= claimedUntilMs
  return claimedUntilMs + TOLERANCE_MS >= (hasMissedIt ? pause.fromMs : nowMs)
}
