import { ApiError } from '@gateway/sdk'

export type Recorder = ReturnType<typeof createRecorder>

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
    /** Makes the call once; `undefined` when it is refused or fails. `isMeasured` adds a success to `latenciesMs`. */
    record: async <T>(
      { what, isMeasured = false }: { what: string; isMeasured?: boolean },
      call: () => Promise<T>,
    ): Promise<T | undefined> => {
      counts.sent += 1
      const startedMs = performance.now()
      try {
        const result = await call()
        if (isMeasured) counts.latenciesMs.push(performance.now() - startedMs)
        return result
      } catch (error) {
        if (error instanceof ApiError) {
          const { status, code, retryAfterMs } = error
          fail(what, `${status} ${code}`, [429, 503].includes(status) && retryAfterMs !== undefined)
        } else fail(what, error instanceof Error && 'code' in error ? String(error.code) : String(error))
        return undefined
      }
    },
    /** Counts since the last `take`. */
    take: () => {
      const taken = counts
      counts = nothing()
      return taken
    },
  }
}

/** `shed`: refused for now, 429 or 503 with `Retry-After`. `failures`: what was shed or failed, why, and how often. */
function nothing() {
  const [failures, latenciesMs]: [Record<string, number>, number[]] = [{}, []]
  return { sent: 0, shed: 0, failed: 0, failures, latenciesMs }
}
