/** Progress lines on the terminal, each with the seconds since the command began. */

export type Log = (line: string) => void
export type Progress = ReturnType<typeof createProgress>

const STILL_WORKING_EVERY_MS = 20_000

/** Lines go to `write`; by default standard error, so that standard output has only results. */
export function createProgress(write: Log = (line) => process.stderr.write(`${line}\n`), now: () => number = Date.now) {
  const startedAt = now()
  const log: Log = (line) => write(`[${formatSeconds(now() - startedAt).padStart(7)}] ${line}`)

  return {
    log,
    /** Runs `work` and prints its start, a reminder every 20 s, and how long it took. */
    async during<T>(title: string, work: () => Promise<T>): Promise<T> {
      const stepStartedAt = now()
      log(`${title} …`)
      const remind = (): void => log(`${title}: still working, ${formatSeconds(now() - stepStartedAt)} so far`)
      const reminder = setInterval(remind, STILL_WORKING_EVERY_MS)
      try {
        const result = await work()
        log(`${title}: done in ${formatSeconds(now() - stepStartedAt)}`)
        return result
      } finally {
        clearInterval(reminder)
      }
    },
  }
}

/** `formatSeconds(1234)` is `1.2 s`. */
function formatSeconds(durationMs: number): string {
  return `${(durationMs / 1000).toFixed(1)} s`
}
