import { randomBytes } from 'node:crypto'
import { Gateway, type Clock, type GatewayOptions } from '@gateway/sdk'

/** A request as the fake `fetch` got it. */
export interface Sent {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
}

/** What the fake answers: a response, an error that `fetch` throws, or a function that decides at that moment. */
export type Reply = Response | Error | (() => Response | Error)

export interface FakeClock extends Clock {
  readonly slept: readonly number[]
  advance(ms: number): void
}

export const credentials = { key_id: 'key_sandbox_0123456789abcdef01234567', key_secret: randomBytes(32).toString('base64url') }

/** Sleeping takes no time and moves the clock on. */
export function fakeClock(startMs = 1_764_000_000_000): FakeClock {
  let nowMs = startMs
  const slept: number[] = []
  return {
    slept,
    now: () => nowMs,
    random: () => 0.5,
    advance: (ms) => (nowMs += ms),
    sleep(ms) {
      slept.push(ms)
      nowMs += ms
      return Promise.resolve()
    },
  }
}

export function json(status: number, body: unknown, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json', ...headers } })
}

export function problem(status: number, code: string, headers: Record<string, string> = {}): Response {
  return json(
    status,
    { type: 'about:blank', title: code, status, detail: `refused: ${code}`, code, request_id: 'req-1' },
    headers,
  )
}

/** What `fetch` throws when the system refuses. */
export function networkError(code: string): Error {
  return new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) })
}

/** A client whose `fetch` gives these replies in turn, and the last one for ever. */
export function fakeGateway(replies: readonly Reply[], options: Partial<GatewayOptions> = {}) {
  const sent: Sent[] = []
  const clock = fakeClock()
  const fakeFetch: typeof fetch = (input, init = {}) => {
    const { method = 'GET', headers, body } = init
    sent.push({
      method,
      url: input instanceof Request ? input.url : String(input),
      headers: Object.fromEntries(new Headers(headers)),
      body: typeof body === 'string' ? body : undefined,
    })
    const reply = replies[Math.min(sent.length, replies.length) - 1]
    const given = typeof reply === 'function' ? reply() : reply
    return given instanceof Response ? Promise.resolve(given.clone()) : Promise.reject(given ?? new Error('no reply'))
  }
  const gateway = new Gateway({ baseUrl: 'https://gateway.example', credentials, fetch: fakeFetch, clock, ...options })
  return { gateway, sent, clock }
}
