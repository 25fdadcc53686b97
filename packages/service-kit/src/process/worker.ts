import { describeError } from '../logging/describe-error.ts'
import type { Log } from '../logging/logger.ts'
import type { Stoppable } from './stoppable.ts'

export interface WorkerOptions {
  readonly name: string
  readonly log: Log
  /** One bounded step. Resolves to true when there may be more to do now. */
  readonly step: () => Promise<boolean>
  /** Pause after a step that found nothing, in milliseconds, with 10 % jitter so that replicas do not run in step. */
  readonly idleMs: number
  /** Runs after the last step, when the worker stops. */
  readonly atEnd?: () => Promise<void>
  readonly random?: () => number
}

/** Runs a worker's step in a loop. A failed step is logged and repeated after the pause. */
export function startWorker({ name, log, step, idleMs, atEnd, random = Math.random }: WorkerOptions): Stoppable {
  let stopping = false
  let wake: (() => void) | undefined
  const pause = () =>
    new Promise<void>((resolve) => {
      if (stopping) {
        resolve()
        return
      }
      const timer = setTimeout(resolve, idleMs * (0.9 + 0.2 * random()))
      wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  const loop = async (): Promise<void> => {
    while (!stopping) {
      const more = await step().catch((error: unknown) => {
        log.error('worker step failed', { worker: name, error: describeError(error) })
        return false
      })
      if (!more) await pause()
    }
  }
  const done = loop()
  return {
    name,
    stop: async () => {
      stopping = true
      wake?.()
      await done
      await atEnd?.()
    },
  }
}
