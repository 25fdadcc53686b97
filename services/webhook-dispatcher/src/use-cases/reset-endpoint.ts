import { Unavailable } from '@gateway/contracts'
import { undoRegistrations, type Endpoint } from '../domain/endpoint.ts'
import type { Endpoints } from '../persistence/endpoints.ts'
import { ENDPOINT_CACHE_MS } from '../endpoint-directory/find-endpoint.ts'
import { endpointMissing, endpointNotFound } from './read-endpoint.ts'

/** What an operator does after a theft of a merchant's credential. Each takes effect before it answers. */
export interface ResetEndpoint {
  /**
   * Undoes the changes of URL made from `since` on; they no longer count for the merchant's limit. Webhooks of orders created
   * meanwhile go to the URL before, those with a record keep theirs. Throws `endpoint_not_found` and `endpoint_missing`.
   */
  undoChanges(merchantId: string, since: Date): Promise<{ readonly url: string; readonly undone: number }>
  /** Ends all signing secrets but the current one; returns how many. Throws `endpoint_not_found`. */
  expireSecrets(merchantId: string): Promise<number>
}

export interface ResetEndpointOptions {
  readonly endpoints: Pick<Endpoints, 'find' | 'save'>
  readonly now: () => Date
  readonly waitUntil: (instantMs: number) => Promise<void>
}

const MAX_TRIES = 10

export function makeResetEndpoint({ endpoints, now, waitUntil }: ResetEndpointOptions): ResetEndpoint {
  /** Saves over the version that was read; of two concurrent changes one starts again. Returns the endpoint before and after. */
  async function change(merchantId: string, to: (before: Endpoint) => Endpoint): Promise<readonly [Endpoint, Endpoint]> {
    for (let tryNumber = 1; tryNumber <= MAX_TRIES; tryNumber++) {
      const before = await endpoints.find(merchantId)
      if (!before) throw endpointNotFound()
      const after = to(before.endpoint)
      if (!(await endpoints.save(after, before))) continue
      // After this wait no replica has the earlier state in its cache.
      await waitUntil(now().getTime() + ENDPOINT_CACHE_MS)
      return [before.endpoint, after]
    }
    throw new Unavailable('endpoint_busy', 'The endpoint is being changed by many requests; try again')
  }

  return {
    async undoChanges(merchantId, since) {
      const [before, after] = await change(merchantId, (endpoint) => {
        const registrations = undoRegistrations(endpoint, since)
        if (!registrations) throw endpointMissing()
        return { ...endpoint, registrations }
      })
      const undone = before.registrations.length - after.registrations.length
      return { url: after.registrations.at(-1)?.url ?? '', undone }
    },

    async expireSecrets(merchantId) {
      const [before, after] = await change(merchantId, (endpoint) => ({ ...endpoint, secrets: endpoint.secrets.slice(0, 1) }))
      return before.secrets.length - after.secrets.length
    },
  }
}
