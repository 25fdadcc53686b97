import { Webhook } from 'standardwebhooks'
import { eventually, openEventStream, type EventStreamClient } from '@gateway/testkit'
import type { RunningDispatcher } from '../src/service.ts'
import type { Fixture } from './fixture.ts'

/** A `webhook` event of a listen session. */
export interface ReceivedCopy {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** A listen session as a merchant's program sees it. */
export interface Listener extends EventStreamClient {
  /** The ids of the copies until now, in their order. */
  ids(): (string | undefined)[]
  copies(): ReceivedCopy[]
  secret(): string
  /** The id of the last event, for `Last-Event-ID`. */
  lastId(): string
  /** The reason of the `end` event. */
  endReason(): unknown
  /** Resolves when so many copies have come. */
  has(count: number): Promise<void>
}

/** Opens a session at a dispatcher, and waits for its `ready`. */
export async function listen(
  fixture: Fixture,
  { port }: Pick<RunningDispatcher, 'port'>,
  options: { merchantId: string; credentialId?: string; credentialEndsAt?: Date; query?: string; lastEventId?: string },
): Promise<Listener> {
  const { query = '', lastEventId, ...caller } = options
  const authorization = await fixture.authorizationFor(caller)
  const headers = { ...authorization, ...(lastEventId !== undefined && { 'last-event-id': lastEventId }) }
  const stream = await openEventStream(`http://127.0.0.1:${port}/api/v1/webhooks/listen${query}`, headers)
  const listener = listenerOf(stream)
  if (stream.response.status === 200) await eventually(() => expect(stream.events[0]?.event).toBe('ready'))
  return listener
}

function listenerOf(stream: EventStreamClient): Listener {
  const { events } = stream
  const copies = () => events.filter(({ event }) => event === 'webhook').map(({ data }) => data as ReceivedCopy)
  const ids = () => copies().map(({ headers }) => headers['webhook-id'])
  return {
    ...stream,
    ids,
    copies,
    secret: () => (events[0]?.data as { signing_secret: string }).signing_secret,
    lastId: () => events.findLast(({ id }) => id !== undefined)?.id ?? '',
    endReason: () => (events.find(({ event }) => event === 'end')?.data as { reason: string } | undefined)?.reason,
    has: (count) => eventually(() => expect(ids()).toHaveLength(count), { deadlineMs: 20_000 }),
  }
}

/** Throws unless the copy is signed with the secret, now. */
export function verifyCopy(secret: string, { headers, body }: ReceivedCopy): void {
  new Webhook(secret).verify(body, headers)
}
