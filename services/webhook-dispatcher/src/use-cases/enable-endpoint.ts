import { Unavailable } from '@gateway/contracts'
import type { Begin } from '@gateway/service-kit'
import { registrationAt } from '../domain/endpoint.ts'
import { disabledOf, enabled } from '../domain/endpoint-health.ts'
import type { Endpoints } from '../persistence/endpoints.ts'
import { ENDPOINT_CACHE_MS } from '../endpoint-directory/find-endpoint.ts'
import { endpointNotFound, type CurrentEndpoint } from './read-endpoint.ts'

/** Enables the merchant's current URL if it is disabled; does nothing otherwise. Throws `endpoint_not_found`. */
export type EnableEndpoint = (merchantId: string, begin: Begin) => Promise<CurrentEndpoint>

export interface EnableEndpointOptions {
  readonly endpoints: Pick<Endpoints, 'find' | 'save'>
  readonly now: () => Date
  readonly waitUntil: (instantMs: number) => Promise<void>
}

const MAX_TRIES = 10

/** Missed webhooks are not sent: the merchant asks for them with `POST …/deliveries/recover`. */
export function makeEnableEndpoint({ endpoints, now, waitUntil }: EnableEndpointOptions): EnableEndpoint {
  return async (merchantId, begin) => {
    for (let tryNumber = 1; tryNumber <= MAX_TRIES; tryNumber++) {
      const before = await endpoints.find(merchantId)
      const registration = registrationAt(before?.endpoint, now())
      if (!before || !registration) throw endpointNotFound()
      const { endpoint } = before
      if (!disabledOf(endpoint.health, registration.url)) return { ...registration, disabled: null }
      if (tryNumber === 1) await begin()
      if (!(await endpoints.save({ ...endpoint, health: enabled(endpoint.health, registration.url) }, before))) continue
      // After this wait no replica has the disabled state in its cache.
      await waitUntil(now().getTime() + ENDPOINT_CACHE_MS)
      return { ...registration, disabled: null }
    }
    throw new Unavailable('endpoint_busy', 'The endpoint is being changed by many requests; try again')
  }
}
