import { Refused } from '@gateway/contracts'

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
