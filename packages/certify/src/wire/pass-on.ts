import type { IncomingMessage } from 'node:http'
import { describeNetworkError } from '@gateway/sdk'

export interface Passed {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

const TIMEOUT_MS = 30_000
/** Headers of one connection (RFC 9110, section 7.6.1), and headers that `fetch` sets itself. */
const OF_THE_CONNECTION = /^(?:connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|host|content-length|expect)$/u
const KEPT_OF_ANSWERS = ['content-type', 'retry-after', 'x-request-id', 'location', 'cache-control']

/** Sends a request on to the gateway, with the caller's own token; 502 when the gateway cannot be reached. */
export async function passOn(
  { gatewayUrl, signal }: { gatewayUrl: string; signal: AbortSignal },
  { method = 'GET', url = '/', headers }: IncomingMessage,
  body: Buffer,
): Promise<Passed> {
  const kept = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    value === undefined || OF_THE_CONNECTION.test(name) ? [] : [[name, [value].flat().join(', ')]],
  )
  try {
    const response = await fetch(`${gatewayUrl.replace(/\/+$/u, '')}${url}`, {
      method,
      headers: kept,
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
      ...(method === 'GET' || method === 'HEAD' ? {} : { body: new Uint8Array(body) }),
    })
    const shown = KEPT_OF_ANSWERS.flatMap((name): [string, string][] => {
      const value = response.headers.get(name)
      return value === null ? [] : [[name, value]]
    })
    return { status: response.status, headers: Object.fromEntries(shown), body: Buffer.from(await response.arrayBuffer()) }
  } catch (error) {
    const detail = `pgw certify could not reach the gateway at ${gatewayUrl}: ${describeNetworkError(error)}`
    return problemOf(502, 'gateway_unreachable', detail)
  }
}

/** An error in the gateway's form that certify answers in its place. */
export function problemOf(status: number, code: string, detail: string): Passed {
  const problem = { type: 'about:blank', title: code, status, detail, code, request_id: 'certify' }
  return { status, headers: { 'content-type': 'application/problem+json' }, body: Buffer.from(JSON.stringify(problem)) }
}
