import { describeError } from '../logging/describe-error.ts'
import type { Log } from '../logging/logger.ts'

/** A part of a service that can be stopped. */
export interface Stoppable {
  readonly name: string
  /** Announces the stop; the part works as before until it is stopped. */
  readonly retire?: () => void
  /** Stops within the remaining time, in milliseconds. */
  stop(deadlineMs: number): Promise<unknown>
}

/** Parts that stop at the same time, as one part: a slow one does not delay the others. */
export function stoppedTogether(...parts: readonly Stoppable[]): Stoppable {
  return {
    ...groupOf(parts),
    stop: (deadlineMs) => Promise.all(parts.map((part) => part.stop(deadlineMs))),
  }
}

/** Parts that stop one after the other, as one part. */
export function stoppedInOrder(...parts: readonly Stoppable[]): Stoppable {
  return {
    ...groupOf(parts),
    async stop(deadlineMs) {
      const endsAt = Date.now() + deadlineMs
      for (const part of parts) await part.stop(Math.max(endsAt - Date.now(), 100))
    },
  }
}

function groupOf(parts: readonly Stoppable[]): Pick<Stoppable, 'name' | 'retire'> {
  return {
    name: parts.map(({ name }) => name).join(', '),
    retire() {
      for (const part of parts) part.retire?.()
    },
  }
}

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

/** A dependency of a service. A service stays ready, as `degraded`, while a dependency that is not critical is down. */
export interface HealthCheck {
  readonly name: string
  readonly critical: boolean
  /** True when the dependency can be used now. An error or no answer in time counts as down. */
  isUp(): boolean | Promise<boolean>
}
