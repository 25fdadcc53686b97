/** Progress lines on the terminal, each with the seconds since the command began. */

export type Log = (line: string) => void

export interface Progress {
  readonly log: Log
  /** Runs `work` and prints its start, a reminder every 20 s, and how long it took. */
  during<T>(title: string, work: () => Promise<T>): Promise<T>
}

const STILL_WORKING_EVERY_MS = 20_000

/** Lines go to `write`; by default standard error, so that standard output has only results. */
export function createProgress(write: Log = (line) => process.stderr.write(`${line}\n`), now: () => number = Date.now): Progress {
  const startedAt = now()
  const log: Log = (line) => {
    write(`[${formatSeconds(now() - startedAt).padStart(7)}] ${line}`)
  }

  return {
    log,
    async during(title, work) {
      const stepStartedAt = now()
      log(`${title} …`)
      const reminder = setInterval(() => {
        log(`${title}: still working, ${formatSeconds(now() - stepStartedAt)} so far`)
      }, STILL_WORKING_EVERY_MS)
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
