import { Unavailable } from '@gateway/contracts'
import { CHANNELS, endpointIdOf, type Channel } from '../domain/channel.ts'
import { undoRegistrations, type Endpoint } from '../domain/endpoint.ts'
import type { Endpoints } from '../persistence/endpoints.ts'
import type { ListenSecrets } from '../persistence/listen-secrets.ts'
import { ENDPOINT_CACHE_MS } from '../endpoint-directory/find-endpoint.ts'
import { endpointNotFound } from './read-endpoint.ts'

/** What is left of a merchant's endpoints; `null` for a channel without a URL. */
export interface UndoneChanges {
  readonly urls: Readonly<Record<Channel, string | null>>
  /** Registrations that were removed, of both channels. */
  readonly undone: number
}

/**
 * What an operator does after a merchant's credential was stolen. Both calls cover the endpoints of payments and of refunds, take
 * effect before they answer, and throw `endpoint_not_found` when the merchant has nothing to change. After `endpoint_busy` the other
 * endpoint may be changed; repeating the call is safe.
 */
export interface ResetEndpoint {
  /**
   * Undoes the changes of URL made from `since` on; they no longer count for the merchant's limit. Webhooks of orders created
   * meanwhile go to the URL before, those with a record keep theirs. An endpoint that was first registered from `since` on is
   * removed with its secrets, which the thief knows.
   */
  undoChanges(merchantId: string, since: Date): Promise<UndoneChanges>
  /** Ends all signing secrets but the current ones, and the listen secret. Returns the number of ended signing secrets. */
  expireSecrets(merchantId: string): Promise<number>
}

export interface ResetEndpointOptions {
  readonly endpoints: Pick<Endpoints, 'find' | 'save' | 'remove'>
  readonly listenSecrets: Pick<ListenSecrets, 'remove'>
  readonly now: () => Date
  readonly waitUntil: (instantMs: number) => Promise<void>
}

const MAX_TRIES = 10

/** One channel's endpoint before and after a change; `after` is `undefined` when it was removed. */
interface Changed {
  readonly channel: Channel
  readonly before: Endpoint
  readonly after: Endpoint | undefined
}

export function makeResetEndpoint({ endpoints, listenSecrets, now, waitUntil }: ResetEndpointOptions): ResetEndpoint {
  type Change = (before: Endpoint) => Endpoint | undefined

  /** Saves over the version that was read; of two concurrent changes one starts again. `undefined`: there is no endpoint. */
  async function changeOne(merchantId: string, channel: Channel, to: Change): Promise<Changed | undefined> {
    for (let tryNumber = 1; tryNumber <= MAX_TRIES; tryNumber++) {
      const before = await endpoints.find(endpointIdOf({ merchantId, channel }))
      if (!before) return undefined
      const after = to(before.endpoint)
      const isSaved = after ? await endpoints.save(after, before) : await endpoints.remove(before)
      if (isSaved) return { channel, before: before.endpoint, after }
    }
    throw new Unavailable('endpoint_busy', `The ${channel} endpoint is being changed by many requests; repeat the call`)
  }

  /** Throws only after both channels have settled, so that nothing changes after the answer. */
  async function changeAll(merchantId: string, to: Change): Promise<Changed[]> {
    const settled = await Promise.allSettled(CHANNELS.map((channel) => changeOne(merchantId, channel, to)))
    // After this wait no replica has the earlier state in its cache.
    await waitUntil(now().getTime() + ENDPOINT_CACHE_MS)
    return settled.flatMap((one) => {
      if (one.status === 'rejected') throw one.reason
      return one.value ?? []
    })
  }

  return {
    async undoChanges(merchantId, since) {
      const changed = await changeAll(merchantId, (endpoint) => {
        const registrations = undoRegistrations(endpoint, since)
        return registrations.length > 0 ? { ...endpoint, registrations } : undefined
      })
      if (changed.length === 0) throw endpointNotFound()
      const urlOf = (wanted: Channel) =>
        changed.find(({ channel }) => channel === wanted)?.after?.registrations.at(-1)?.url ?? null
      return {
        urls: { payment: urlOf('payment'), refund: urlOf('refund') },
        undone: sum(changed, ({ before, after }) => before.registrations.length - (after?.registrations.length ?? 0)),
      }
    },

    async expireSecrets(merchantId) {
      // A merchant that has only listened has no endpoint.
      const hasListened = await listenSecrets.remove(merchantId)
      const changed = await changeAll(merchantId, (endpoint) => ({ ...endpoint, secrets: endpoint.secrets.slice(0, 1) }))
      if (!hasListened && changed.length === 0) throw endpointNotFound()
      return sum(changed, ({ before, after }) => before.secrets.length - (after?.secrets.length ?? 0))
    },
  }
}

function sum(changed: readonly Changed[], of: (one: Changed) => number): number {
  return changed.reduce((total, one) => total + of(one), 0)
}
