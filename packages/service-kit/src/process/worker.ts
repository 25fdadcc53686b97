import { describeError, type Log } from '../logging/logger.ts'
import type { Stoppable } from './lifecycle.ts'

export interface WorkerOptions {
  readonly name: string
  readonly log: Log
  /** One bounded step; true when there may be more to do at once. */
  readonly step: () => Promise<boolean>
  /** The pause after a step that found nothing, in milliseconds; jittered by a fifth so that replicas drift apart. */
  readonly idleMs: number
  readonly random?: () => number
}

/** The one loop around every worker's bounded step. A step that fails is logged and tried again after the pause. */
export function startWorker({ name, log, step, idleMs, random = Math.random }: WorkerOptions): Stoppable {
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
        log.error('a worker step failed', { worker: name, error: describeError(error) })
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
    },
  }
}
