import {
  CAPABILITIES_PATH,
  NETWORK_DOWNTIMES_PATH,
  NETWORK_INTENTS_PATH,
  NETWORK_PATHS,
  NETWORK_REFUNDS_PATH,
} from '@gateway/contracts'
import type { ServiceAnswer } from '@gateway/service-kit/http-client'
import { createNetworkClient } from '@gateway/connector-client'

export interface Answer {
  readonly status: number
  readonly body: unknown
}

/** The calls of the contract. They send any body and key, so that a check can send what the gateway never would. */
export interface Connector extends ReturnType<typeof callsTo> {
  /** The same connector, called with another API key or without one. */
  withApiKey(apiKey: string | undefined): Connector
}

type Query = Readonly<Record<string, string>>
const PAYER_HOOK = '/sandbox/upi/pay'
const TIMEOUT_MS = 10_000

/** Connects to a connector. Every status counts as an answer; a call rejects only when none arrives. */
export function connectTo(url: string, apiKey: string | undefined): Connector {
  return { ...callsTo(url, apiKey), withApiKey: (other) => connectTo(url, other) }
}

function callsTo(url: string, apiKey: string | undefined) {
  // The gateway's own client: a connector is checked with the requests that it will get.
  const client = createNetworkClient({ url, ...(apiKey !== undefined && { apiKey }), timeoutMs: TIMEOUT_MS })
  const post = (path: string) => (body: object, key: string) =>
    client.post(path, body, { headers: key === '' ? {} : { 'idempotency-key': key } }).then(toAnswer)
  const get = (path: string, params?: Query) => client.get(path, params === undefined ? {} : { params }).then(toAnswer)
  return {
    start: post(NETWORK_PATHS.payments),
    reverse: post(NETWORK_PATHS.reversals),
    enquire: (params: Query) => get(NETWORK_PATHS.payments, params),
    capabilities: () => get(CAPABILITIES_PATH),
    refund: post(NETWORK_REFUNDS_PATH),
    mintIntent: post(NETWORK_INTENTS_PATH),
    downtimes: () => get(NETWORK_DOWNTIMES_PATH),
    /** The payer hook of the connector's test environment: a payer with this VPA pays a link. No part of the contract. */
    payIntent: (body: object) => post(PAYER_HOOK)(body, ''),
    enquireRefund: (params: Query) => get(NETWORK_REFUNDS_PATH, params),
  }
}

const toAnswer = ({ status, data }: ServiceAnswer): Answer => ({ status, body: data })

/** An answer in a few words. It shows no secret, because no answer of the contract holds one. */
export function inWords({ status, body }: Answer): string {
  return `${status} ${JSON.stringify(body).slice(0, 300)}`
}
