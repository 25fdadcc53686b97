import { Refused } from '@gateway/contracts'
import { registrationAt, type Registration } from '../domain/endpoint.ts'
import { disabledOf, type Disabled } from '../domain/endpoint-health.ts'
import type { Endpoints } from '../persistence/endpoints.ts'

/** The URL that new orders are bound to. */
export interface CurrentEndpoint extends Registration {
  readonly disabled: Disabled | null
}

export type ReadEndpoint = (merchantId: string) => Promise<CurrentEndpoint>

/** The current registration. Throws `endpoint_not_found`. */
export function makeReadEndpoint({ endpoints, now }: { endpoints: Pick<Endpoints, 'find'>; now: () => Date }): ReadEndpoint {
  return async (merchantId) => {
    const stored = await endpoints.find(merchantId)
    const registration = registrationAt(stored?.endpoint, now())
    if (!stored || !registration) throw endpointNotFound()
    return { ...registration, disabled: disabledOf(stored.endpoint.health, registration.url) ?? null }
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
