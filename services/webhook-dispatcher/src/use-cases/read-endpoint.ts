import { Refused } from '@gateway/contracts'
import { registrationAt, type Registration } from '../domain/endpoint.ts'
import type { Endpoints } from '../persistence/endpoints.ts'

export type ReadEndpoint = (merchantId: string) => Promise<Registration>

/** The registration in force now. Throws `endpoint_not_found`. */
export function makeReadEndpoint({ endpoints, now }: { endpoints: Pick<Endpoints, 'find'>; now: () => Date }): ReadEndpoint {
  return async (merchantId) => {
    const stored = await endpoints.find(merchantId)
    const registration = registrationAt(stored?.endpoint, now())
    if (!registration) throw endpointNotFound()
    return registration
  }
}

export function endpointNotFound(): Refused {
  return new Refused('endpoint_not_found', 'No webhook endpoint is registered')
}

/** Something can only be sent once there is an endpoint. */
export function endpointMissing(): Refused {
  return new Refused('endpoint_missing', 'There is no webhook endpoint to send to; register one first')
}
