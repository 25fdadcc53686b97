import { createServiceClient, type ServiceClient } from '../http-client/service-client.ts'
import { sendWithAxios } from './axios-send.ts'

const TIMEOUT_MS = 5000
const MAX_ANSWER_BYTES = 1024 * 1024
const MAX_SOCKETS = 50

export interface NetworkAddress {
  readonly url: string
  /** Absent only where a check wants to be refused. */
  readonly apiKey?: string
  readonly timeoutMs?: number
  /** Connections at a time; further calls wait for one. 50 by default. */
  readonly maxSockets?: number
  /** Whether calls take the environment's proxy (`NETWORK_PROXY`). Not by default. */
  readonly usesProxy?: boolean
}

/** A client of the network's connector, with connections of its own: slow refunds never delay enquiries. */
export function createNetworkClient(address: NetworkAddress): ServiceClient {
  const { url, apiKey, timeoutMs = TIMEOUT_MS, maxSockets = MAX_SOCKETS, usesProxy = false } = address
  const options = {
    baseUrl: url,
    ...(apiKey !== undefined && { bearer: apiKey }),
    timeoutMs,
    maxAnswerBytes: MAX_ANSWER_BYTES,
    unavailable: { code: 'network_unavailable', detail: 'The network cannot be reached; try again' },
  } as const
  return createServiceClient(options, sendWithAxios({ maxSockets, usesProxy }))
}
