import { Unavailable } from '@gateway/contracts'
import { registrationAt } from '../domain/endpoint.ts'
import { disabledOf, enabled } from '../domain/endpoint-health.ts'
import type { Endpoints } from '../persistence/endpoints.ts'
import { ENDPOINT_CACHE_MS } from './endpoint-directory.ts'
import { endpointNotFound, type EndpointInForce } from './read-endpoint.ts'

/** Uses the URL in force again, if it was disabled; without effect else. Throws `endpoint_not_found`. */
export type EnableEndpoint = (merchantId: string) => Promise<EndpointInForce>

export interface EnableEndpointOptions {
  readonly endpoints: Pick<Endpoints, 'find' | 'save'>
  readonly now: () => Date
  readonly waitUntil: (instantMs: number) => Promise<void>
}

const MAX_TRIES = 10

/** What was missed meanwhile is not sent by itself: the merchant asks for it, from an instant on. */
export function makeEnableEndpoint({ endpoints, now, waitUntil }: EnableEndpointOptions): EnableEndpoint {
  return async (merchantId) => {
    for (let tryNumber = 1; tryNumber <= MAX_TRIES; tryNumber++) {
      const before = await endpoints.find(merchantId)
      const registration = registrationAt(before?.endpoint, now())
      if (!before || !registration) throw endpointNotFound()
      const { endpoint } = before
      if (!disabledOf(endpoint.health, registration.url)) return { ...registration, disabled: null }
      if (!(await endpoints.save({ ...endpoint, health: enabled(endpoint.health, registration.url) }, before))) continue
      // By then no replica takes it for disabled any more.
      await waitUntil(now().getTime() + ENDPOINT_CACHE_MS)
      return { ...registration, disabled: null }
    }
    throw new Unavailable('endpoint_busy', 'The endpoint is being changed by many requests; try again')
  }
}
