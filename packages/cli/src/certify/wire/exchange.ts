import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { Answer } from '../judge.ts'

export interface Sent {
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array
}

export interface Exchanged extends Answer {
  readonly body: string
}

const MAX_ANSWER_LENGTH = 64 * 1024

/**
 * Sends one request on a new connection, so that no answer depends on an earlier one. Follows no redirect and never throws.
 *
 * @param timeoutMs for connecting, sending and the whole answer
 */
export function exchange(url: URL, { method, headers, body }: Sent, timeoutMs: number): Promise<Exchanged> {
  const startedMs = performance.now()
  const durationMs = () => Math.round(performance.now() - startedMs)
  return new Promise((resolve) => {
    const withLength = { ...headers, 'content-length': String(Buffer.byteLength(body)) }
    const send = url.protocol === 'https:' ? requestHttps : requestHttp
    const outgoing = send(url, { method, headers: withLength, agent: false })
    const late = setTimeout(() => outgoing.destroy(new Error(`none within ${timeoutMs / 1000} s`)), timeoutMs)
    const end = (outcome: Pick<Exchanged, 'status' | 'error' | 'body'>): void => {
      clearTimeout(late)
      resolve({ ...outcome, durationMs: durationMs() })
    }
    outgoing.on('error', ({ message }) => end({ status: null, error: message, body: '' }))
    outgoing.on('response', (incoming) => {
      let text = ''
      incoming.setEncoding('utf8')
      incoming.on('data', (chunk: string) => (text = (text + chunk).slice(0, MAX_ANSWER_LENGTH)))
      incoming.on('error', ({ message }) => end({ status: null, error: message, body: '' }))
      incoming.on('end', () => end({ status: incoming.statusCode ?? null, error: null, body: text }))
    })
    outgoing.end(body)
  })
}
