import { constants } from 'node:os'

/**
 * That somebody wants this process to end is one fact for the whole process: the first of SIGINT, SIGTERM and SIGHUP. Later ones
 * change nothing, since a stop in progress is bounded in time.
 */
const controller = new AbortController()

/** Aborted, with a `Stopped` as its reason, when this process is asked to end: work that only prepares something gives up. */
export const stopping: AbortSignal = controller.signal

/** The exit code that shells give a program which a signal ended. */
export function exitCodeOf(signal: NodeJS.Signals): number {
  return 128 + constants.signals[signal]
}

export class Stopped extends Error {
  override readonly name = 'Stopped'
  readonly signal: NodeJS.Signals

  constructor(signal: NodeJS.Signals) {
    super(`stopped by ${signal}`)
    this.signal = signal
  }
}

/** From now on signals do not end this process, but `stopping`. Resolves to the first one. */
export async function untilAskedToStop(): Promise<NodeJS.Signals> {
  const { promise, resolve } = Promise.withResolvers<NodeJS.Signals>()
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(name, () => {
      controller.abort(new Stopped(name))
      resolve(name)
    })
  }
  return promise
}
