import { constants } from 'node:os'

/**
 * One stop request per process: the first of SIGINT, SIGTERM and SIGHUP. Later signals are ignored, since a stop is bounded in
 * time.
 */
const controller = new AbortController()

/** Aborted with a `Stopped` as its reason when this process is asked to stop; preparing work then gives up. */
export const stopping: AbortSignal = controller.signal

/** The exit code that shells report for a program ended by this signal. */
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

/** Installs the signal handlers; from now on a signal aborts `stopping` instead of ending the process. Resolves to the signal. */
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
