import { createServiceClient, type ServiceClient } from '../http-client/service-client.ts'

const TIMEOUT_MS = 5000
const MAX_ANSWER_BYTES = 1024 * 1024
const MAX_SOCKETS = 50

export interface NetworkAddress {
  readonly url: string
  readonly apiKey: string
  readonly timeoutMs?: number
}

/** A client of the network's connector, with connections of its own: slow refunds never delay enquiries. */
export function createNetworkClient({ url, apiKey, timeoutMs = TIMEOUT_MS }: NetworkAddress): ServiceClient {
  return createServiceClient({
    baseUrl: url,
    bearer: apiKey,
    timeoutMs,
    maxAnswerBytes: MAX_ANSWER_BYTES,
    maxSockets: MAX_SOCKETS,
    unavailable: { code: 'network_unavailable', detail: 'The network cannot be reached; try again' },
  })
}
