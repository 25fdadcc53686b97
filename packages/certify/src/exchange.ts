import { request as requestHttp, type ClientRequest } from 'node:http'
import { request as requestHttps } from 'node:https'
import { describeNetworkError } from '@gateway/sdk'
import type { Answer } from './judge.ts'
import { MAX_READ_LENGTH, NOT_SHOWN } from './redact.ts'

export interface Sent {
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array
  /** Accept a certificate that cannot be verified, such as a self-signed one. */
  readonly anyCertificate?: boolean
}

export interface Exchanged extends Answer {
  /** A body above the limit is replaced by a sentence. */
  readonly body: string
}

type Outcome = Pick<Exchanged, 'status' | 'error' | 'body'>

/**
 * Sends one request on a new connection, so that no answer depends on an earlier one. Skips interim answers (1xx) and follows no
 * redirect. A failed connection is part of the result; only an aborted signal makes it throw.
 *
 * @param timeoutMs for connecting, sending and the whole answer
 * @param signal ends the exchange
 */
export async function exchange(url: URL, sent: Sent, timeoutMs: number, signal?: AbortSignal): Promise<Exchanged> {
  signal?.throwIfAborted()
  const startedMs = performance.now()
  const { promise, resolve } = Promise.withResolvers<Outcome>()
  const outgoing = start(url, sent)
  // The timer settles the promise itself: after an upgrade Node.js reports nothing more about the request.
  const late = setTimeout(() => resolve(none(`none within ${timeoutMs / 1000} s`)), timeoutMs)
  const cancel = (): void => resolve(none('cancelled'))
  signal?.addEventListener('abort', cancel)
  listenTo(outgoing, resolve)
  outgoing.end(sent.body)
  try {
    const outcome = await promise
    signal?.throwIfAborted()
    return { ...outcome, durationMs: Math.round(performance.now() - startedMs) }
  } finally {
    clearTimeout(late)
    signal?.removeEventListener('abort', cancel)
    outgoing.destroy()
  }
}

function start(url: URL, { method, headers, body, anyCertificate = false }: Sent): ClientRequest {
  const withLength = { ...headers, 'content-length': String(Buffer.byteLength(body)) }
  const options = { method, headers: withLength, agent: false } as const
  if (url.protocol === 'https:') return requestHttps(url, { ...options, rejectUnauthorized: !anyCertificate })
  return requestHttp(url, options)
}

/** The first outcome counts. */
function listenTo(outgoing: ClientRequest, end: (outcome: Outcome) => void): void {
  let hasAnswer = false
  outgoing.on('error', (error) => end(none(describeNetworkError(error))))
  outgoing.on('close', () => hasAnswer || end(none('the connection was closed')))
  outgoing.on('upgrade', ({ statusCode }, socket) => {
    socket.on('error', () => undefined)
    socket.destroy()
    end({ status: statusCode ?? null, error: null, body: '' })
  })
  outgoing.on('response', (incoming) => {
    hasAnswer = true
    let text = ''
    incoming.setEncoding('utf8')
    incoming.on('data', (chunk: string) => (text = (text + chunk).slice(0, MAX_READ_LENGTH + 1)))
    incoming.on('error', (error) => end(none(describeNetworkError(error))))
    incoming.on('close', () => end(none('the connection was closed')))
    incoming.on('end', () => {
      const body = text.length > MAX_READ_LENGTH ? NOT_SHOWN : text
      end({ status: incoming.statusCode ?? null, error: null, body })
    })
  })
}

function none(error: string): Outcome {
  return { status: null, error, body: '' }
}
