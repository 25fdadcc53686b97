import { Pool } from 'undici'

/** Sends requests over kept-alive connections, as cheaply as a client can, and counts what became of them. */
export interface Caller {
  /** Sends once, never again. `undefined` when there was no answer, or its status is not in `expected`: that is counted. */
  send(request: Outgoing): Promise<Answer | undefined>
  /** Counts since the last `take`. */
  take(): Counts
  close(): Promise<void>
}

export interface Outgoing {
  /** Names the request in `failures`. */
  readonly what: string
  readonly method?: 'GET' | 'POST'
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Buffer
  readonly expected: readonly number[]
  /** Adds the latency of an expected answer to `latenciesMs`. */
  readonly isMeasured?: boolean
}

export interface Answer {
  readonly text: string
  /** Cookies that the answer sets, as a browser sends them back. */
  readonly cookies: string
}

export interface Counts {
  readonly sent: number
  /** Refused for now: 429 or 503 with `Retry-After`. */
  readonly shed: number
  readonly failed: number
  /** What was shed or failed, why, and how often. */
  readonly failures: Readonly<Record<string, number>>
  readonly latenciesMs: readonly number[]
}

const TIMEOUT_MS = 30_000

/** @param connections at most, to each origin */
export function createCaller(connections: number): Caller {
  const pools = new Map<string, Pool>()
  let counts = nothing()

  function poolFor(origin: string): Pool {
    const known = pools.get(origin)
    if (known) return known
    const made = new Pool(origin, { connections, pipelining: 1, headersTimeout: TIMEOUT_MS, bodyTimeout: TIMEOUT_MS })
    pools.set(origin, made)
    return made
  }

  function refuse(what: string, why: string, isShed: boolean): undefined {
    if (isShed) counts.shed += 1
    else counts.failed += 1
    const failure = `${what}: ${why}`
    counts.failures[failure] = (counts.failures[failure] ?? 0) + 1
  }

  return {
    async send({ what, method = 'POST', url, headers = {}, body = null, expected, isMeasured = false }) {
      const { origin, pathname, search } = new URL(url)
      counts.sent += 1
      const sentMs = performance.now()
      try {
        const answer = await poolFor(origin).request({ method, path: pathname + search, headers, body })
        const text = await answer.body.text()
        const { statusCode, headers: answered } = answer
        if (!expected.includes(statusCode)) {
          const isShed = [429, 503].includes(statusCode) && answered['retry-after'] !== undefined
          return refuse(what, `${statusCode} ${problemIn(text)}`, isShed)
        }
        if (isMeasured) counts.latenciesMs.push(performance.now() - sentMs)
        return { text, cookies: cookiesOf(answered['set-cookie']) }
      } catch (error) {
        return refuse(what, error instanceof Error && 'code' in error ? String(error.code) : String(error), false)
      }
    },
    take() {
      const taken = counts
      counts = nothing()
      return taken
    },
    async close() {
      await Promise.all([...pools.values()].map((pool) => pool.destroy()))
    },
  }
}

function nothing() {
  const [failures, latenciesMs]: [Record<string, number>, number[]] = [{}, []]
  return { sent: 0, shed: 0, failed: 0, failures, latenciesMs }
}

/** The code of a problem, which is the same for all of its kind; else the beginning of the text. */
function problemIn(text: string): string {
  return /"code":"([^"]+)"/u.exec(text)?.[1] ?? text.slice(0, 200)
}

function cookiesOf(header: string | string[] | undefined): string {
  return [header ?? []]
    .flat()
    .map((cookie) => cookie.split(';')[0] ?? '')
    .join('; ')
}
