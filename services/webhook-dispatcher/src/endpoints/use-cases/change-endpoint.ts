import { Refused, Unavailable } from '@gateway/contracts'
import type { Begin } from '@gateway/service-kit'
import type { Endpoint } from '../domain/endpoint.ts'
import { ownerOf, type EndpointId } from '../domain/endpoint-id.ts'
import type { Endpoints } from '../persistence/endpoints.ts'

/** What to do with an endpoint, and the result for the caller. `endpoint` is `undefined` when it is to be removed. */
export type EndpointDecision<R> =
  | { readonly changed: false; readonly result: R }
  | { readonly changed: true; readonly endpoint: Endpoint | undefined; readonly result: R }

/**
 * Reads the endpoint, decides, and saves over the version that was read; of two concurrent changes one starts again. `begin` is called
 * before the first save. Throws what `decide` throws, and `endpoint_busy`.
 */
export type ChangeEndpoint = <R>(
  id: EndpointId,
  begin: Begin | undefined,
  decide: (before: Endpoint | undefined) => EndpointDecision<R>,
) => Promise<R>

const MAX_TRIES = 10

export function makeChangeEndpoint(endpoints: Pick<Endpoints, 'find' | 'save' | 'remove'>): ChangeEndpoint {
  return async (id, begin, decide) => {
    for (let tryNumber = 1; tryNumber <= MAX_TRIES; tryNumber++) {
      const before = await endpoints.find(id)
      const decision = decide(before?.endpoint)
      if (!decision.changed) return decision.result
      if (tryNumber === 1) await begin?.()
      const isSaved = await (decision.endpoint ? endpoints.save(decision.endpoint, before) : !before || endpoints.remove(before))
      if (isSaved) return decision.result
    }
    throw new Unavailable('endpoint_busy', `The ${ownerOf(id).channel} endpoint is being changed by many requests; try again`)
  }
}

export function endpointNotFound(): Refused {
  return new Refused('endpoint_not_found', 'No webhook endpoint is registered')
}

/** Nothing is sent to a disabled URL, not even on request. */
export function endpointDisabled(): Refused {
  return new Refused('endpoint_disabled', 'The URL that this would be sent to is disabled; enable or replace it first')
}

export function endpointMissing(): Refused {
  return new Refused('endpoint_missing', 'There is no webhook endpoint to send to; register one first')
}
