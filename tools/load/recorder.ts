/** What is read of an answer. */
interface Answered {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly text: string
  readonly tookMs?: number
}

export interface Expectation {
  /** Names the request in `failures`. */
  readonly what: string
  /** Statuses that are no failure. */
  readonly expected: readonly number[]
  /** Adds the answer's time to `latenciesMs`. */
  readonly isMeasured?: boolean
}

export type Recorder = ReturnType<typeof createRecorder>

export interface Counts {
  readonly sent: number
  /** Refused for now: 429 or 503 with `Retry-After`. */
  readonly shed: number
  readonly failed: number
  /** What was shed or failed, why, and how often. */
  readonly failures: Readonly<Record<string, number>>
  readonly latenciesMs: readonly number[]
}

/** Counts what becomes of calls. */
export function createRecorder() {
  let counts = nothing()

  function fail(what: string, why: string, isShed = false): void {
    if (isShed) counts.shed += 1
    else counts.failed += 1
    const failure = `${what}: ${why}`
    counts.failures[failure] = (counts.failures[failure] ?? 0) + 1
  }

  return {
    /** Makes the call once. Resolves to `undefined` when it is rejected, or answered with another status than expected. */
    record: async <A extends Answered>(expectation: Expectation, call: () => Promise<A>): Promise<A | undefined> => {
      const { what, expected, isMeasured = false } = expectation
      counts.sent += 1
      try {
        const answer = await call()
        const { status, headers, text, tookMs } = answer
        if (!expected.includes(status)) {
          fail(what, `${status} ${problemIn(text)}`, [429, 503].includes(status) && headers['retry-after'] !== undefined)
          return undefined
        }
        if (isMeasured && tookMs !== undefined) counts.latenciesMs.push(tookMs)
        return answer
      } catch (error) {
        fail(what, error instanceof Error && 'code' in error ? String(error.code) : String(error))
        return undefined
      }
    },
    /** Counts since the last `take`. */
    take: (): Counts => {
      const taken = counts
      counts = nothing()
      return taken
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
