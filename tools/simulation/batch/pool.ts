import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import type { Job, Outcome } from './job.ts'

/** A worker is replaced after so many jobs, so that nothing that libraries keep grows. */
const JOBS_EACH = 200

/** A worker process, replaced from time to time. */
export class Worker {
  readonly #arguments: readonly string[]
  #child: ChildProcess | undefined
  #done = 0

  /** @param bug the number of a planted bug */
  constructor(bug?: number) {
    this.#arguments = bug === undefined ? [] : [String(bug)]
  }

  /** Rejects when the worker fails: that is a fault of the simulation itself, or of a bug whose text is not found any more. */
  async do(job: Job): Promise<Outcome> {
    if (this.#done++ >= JOBS_EACH) this.stop()
    this.#child ??= await start(this.#arguments)
    const child = this.#child
    child.send(job)
    const exited = once(child, 'exit', { signal: AbortSignal.timeout(300_000) }).then(() => {
      throw new Error(`the worker ended during seed ${job.seed}`)
    })
    const [outcome] = (await Promise.race([once(child, 'message'), exited])) as [Outcome]
    exited.catch(() => undefined)
    child.removeAllListeners('exit')
    return outcome
  }

  stop(): void {
    this.#child?.kill('SIGKILL')
    this.#child = undefined
    this.#done = 1
  }
}

async function start(args: readonly string[]): Promise<ChildProcess> {
  const child = fork(new URL('./worker.ts', import.meta.url), args, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  const exited = once(child, 'exit').then(() => {
    throw new Error('a worker did not start')
  })
  await Promise.race([once(child, 'message'), exited])
  exited.catch(() => undefined)
  child.removeAllListeners('exit')
  return child
}

/** Does jobs with several workers at a time, in order. */
export async function doAll(workers: readonly Worker[], jobs: Iterator<Job>, onOutcome: (outcome: Outcome) => void): Promise<void> {
  await Promise.all(
    workers.map(async (worker) => {
      for (let next = jobs.next(); next.done !== true; next = jobs.next()) onOutcome(await worker.do(next.value))
      worker.stop()
    }),
  )
}
