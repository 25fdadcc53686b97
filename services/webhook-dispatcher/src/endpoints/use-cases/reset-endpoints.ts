import { undoRegistrations, type Endpoint } from '../domain/endpoint.ts'
import { CHANNELS, endpointIdOf, type Channel } from '../domain/endpoint-id.ts'
import type { Endpoints } from '../persistence/endpoints.ts'
import { endpointNotFound, makeChangeEndpoint } from './change-endpoint.ts'
import { ENDPOINT_CACHE_MS } from './find-endpoint.ts'
import type { ListenSecrets } from './listen-secrets.ts'

/** What is left of a merchant's endpoints; `null` for a channel without a URL. */
export interface UndoneChanges {
  readonly urls: Readonly<Record<Channel, string | null>>
  /** Registrations that were removed, of both channels. */
  readonly undone: number
}

export type ResetEndpoints = ReturnType<typeof createResetEndpoints>

export interface ResetEndpointsOptions {
  readonly endpoints: Pick<Endpoints, 'find' | 'save' | 'remove'>
  readonly listenSecrets: Pick<ListenSecrets, 'remove'>
  readonly now: () => Date
  readonly waitUntil: (instantMs: number) => Promise<void>
}

/** One channel's endpoint before and after a change; `after` is `undefined` when it was removed. */
interface Changed {
  readonly channel: Channel
  readonly before: Endpoint
  readonly after: Endpoint | undefined
}

/**
 * What an operator does after a merchant's credential was stolen. Both calls cover the endpoints of payments and of refunds, take
 * effect before they answer, and throw `endpoint_not_found` when the merchant has nothing to change. After `endpoint_busy` the other
 * endpoint may be changed; repeating the call is safe.
 */
export function createResetEndpoints({ endpoints, listenSecrets, now, waitUntil }: ResetEndpointsOptions) {
  const change = makeChangeEndpoint(endpoints)

  /** Changes those of both channels that exist. Throws only after both have settled, so that nothing changes after the answer. */
  async function changeAll(merchantId: string, to: (before: Endpoint) => Endpoint | undefined): Promise<Changed[]> {
    const settled = await Promise.allSettled(
      CHANNELS.map((channel) =>
        change<Changed | undefined>(endpointIdOf({ merchant_id: merchantId, channel }), undefined, (before) => {
          if (!before) return { changed: false, result: undefined }
          const after = to(before)
          return { changed: true, endpoint: after, result: { channel, before, after } }
        }),
      ),
    )
    // After this wait no replica has the earlier state in its cache.
    await waitUntil(now().getTime() + ENDPOINT_CACHE_MS)
    return settled.flatMap((outcome) => {
      if (outcome.status === 'rejected') throw outcome.reason
      return outcome.value ?? []
    })
  }

  return {
    /**
     * Undoes the changes of URL made from `since` on; they no longer count for the merchant's limit. Webhooks of orders created
     * meanwhile go to the URL before, those with a record keep theirs. An endpoint that was first registered from `since` on is
     * removed with its secrets, which the thief knows.
     */
    async undoChanges(merchantId: string, since: Date): Promise<UndoneChanges> {
      const changed = await changeAll(merchantId, (endpoint) => {
        const registrations = undoRegistrations(endpoint, since)
        return registrations.length > 0 ? { ...endpoint, registrations } : undefined
      })
      if (changed.length === 0) throw endpointNotFound()
      const urlOf = (wanted: Channel) =>
        changed.find(({ channel }) => channel === wanted)?.after?.registrations.at(-1)?.url ?? null
      const undone = changed.map(({ before, after }) => before.registrations.length - (after?.registrations.length ?? 0))
      return { urls: { payment: urlOf('payment'), refund: urlOf('refund') }, undone: sum(undone) }
    },

    /** Ends all signing secrets but the current ones, and the listen secret. Returns the number of ended signing secrets. */
    async expireSecrets(merchantId: string): Promise<number> {
      // A merchant that has only listened has no endpoint.
      const hasListened = await listenSecrets.remove(merchantId)
      const changed = await changeAll(merchantId, (endpoint) => ({ ...endpoint, secrets: endpoint.secrets.slice(0, 1) }))
      if (!hasListened && changed.length === 0) throw endpointNotFound()
      return sum(changed.map(({ before }) => before.secrets.length - 1))
    },
  }
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0)
}
