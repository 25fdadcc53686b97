import { fork, type ChildProcess } from 'node:child_process'
import type { Job, Outcome } from './work.ts'

/** A worker is replaced after so many jobs, so that nothing that libraries keep grows. */
const JOBS_EACH = 200
/** A shrink runs a plan many times. */
const JOB_TIMEOUT_MS = 300_000

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
    return answerOf<Outcome>(child, `seed ${job.seed}`)
  }

  stop(): void {
    this.#child?.kill('SIGKILL')
    this.#child = undefined
    this.#done = 1
  }
}

async function start(args: readonly string[]): Promise<ChildProcess> {
  const child = fork(new URL('./worker.ts', import.meta.url), args, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  await answerOf(child, 'its start')
  return child
}

/** The next message of a worker. Rejects when the worker ends, or takes too long. */
function answerOf<T>(child: ChildProcess, during: string): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>()
  const fail = (): void => {
    child.kill('SIGKILL')
    reject(new Error(`the worker ended during ${during}`))
  }
  const timer = setTimeout(fail, JOB_TIMEOUT_MS)
  child.once('exit', fail)
  child.once('message', (message) => resolve(message as T))
  return promise.finally(() => {
    clearTimeout(timer)
    child.off('exit', fail)
  })
}

/** Does jobs with several workers at a time, in order; each has the planted bug of this number, if there is one. */
export async function doAll(
  count: number,
  jobs: Iterator<Job>,
  onOutcome: (outcome: Outcome) => void,
  bug?: number,
): Promise<void> {
  const work = async (): Promise<void> => {
    const worker = new Worker(bug)
    for (let next = jobs.next(); next.done !== true; next = jobs.next()) onOutcome(await worker.do(next.value))
    worker.stop()
  }
  await Promise.all(Array.from({ length: count }, work))
}
