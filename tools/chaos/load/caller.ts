import { Pool } from 'undici'

/** Sends requests and counts them. Nothing is ever sent twice. */
export interface Caller {
  /** `undefined` when there was no answer, or another status than one of `expected`: that has failed, and is counted. */
  send(request: Outgoing): Promise<Answer | undefined>
  readonly counts: Counts
  close(): Promise<void>
}

export interface Outgoing {
  /** What it is, for the count of failures. */
  readonly what: string
  readonly method: 'GET' | 'POST'
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly expected: readonly number[]
}

export interface Answer {
  readonly status: number
  readonly text: string
  /** Those that it sets, as a browser sends them back. */
  readonly cookies: string
}

export interface Counts {
  sent: number
  /** Refused for now, with the time after which to come again: 429 or 503 with `Retry-After`. */
  shed: number
  failed: number
  /** What was shed or failed how, and how often. */
  readonly failures: Record<string, number>
}

const CONNECTIONS = 64
const TIMEOUT_MS = 30_000

export function createCaller(): Caller {
  const pools = new Map<string, Pool>()
  const counts: Counts = { sent: 0, shed: 0, failed: 0, failures: {} }
  const fail = (what: string, how: string, shed = false): void => {
    if (shed) counts.shed += 1
    else counts.failed += 1
    const failure = `${what}: ${how}`
    counts.failures[failure] = (counts.failures[failure] ?? 0) + 1
  }
  const poolFor = (origin: string): Pool => {
    const known = pools.get(origin)
    if (known) return known
    const options = { connections: CONNECTIONS, pipelining: 1, headersTimeout: TIMEOUT_MS, bodyTimeout: TIMEOUT_MS }
    const made = new Pool(origin, options)
    pools.set(origin, made)
    return made
  }
  return {
    counts,
    async send({ what, method, url, headers = {}, body, expected }) {
      const { origin, pathname, search } = new URL(url)
      counts.sent += 1
      try {
        const answer = await poolFor(origin).request({ method, path: pathname + search, headers, body: body ?? null })
        const text = await answer.body.text()
        if (!expected.includes(answer.statusCode)) {
          const isShed = [429, 503].includes(answer.statusCode) && answer.headers['retry-after'] !== undefined
          fail(what, `${answer.statusCode} ${problemIn(text)}`, isShed)
          return undefined
        }
        const cookies = [answer.headers['set-cookie'] ?? []].flat().map((header) => header.split(';')[0] ?? '')
        return {
          status: answer.statusCode,
          text,
          location: String(answer.headers['location'] ?? ''),
          cookies: cookies.join('; '),
        }
      } catch (error) {
        fail(what, error instanceof Error && 'code' in error ? String(error.code) : String(error))
        return undefined
      }
    },
    close: async () => {
      await Promise.all([...pools.values()].map((pool) => pool.destroy()))
    },
  }
}

/** The code of a problem, which is the same for all of its kind; else the beginning of the text. */
function problemIn(text: string): string {
  return /"code":"([^"]+)"/u.exec(text)?.[1] ?? text.slice(0, 200)
}
