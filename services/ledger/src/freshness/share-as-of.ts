import type { Consumer } from '@gateway/messaging'
import { startWorker, type Log, type Stoppable } from '@gateway/service-kit'
import type { AsOf } from './as-of.ts'
import type { Replicas } from './persistence/replicas.ts'

const PAUSE_MS = 1000

/** Shares every second with the other replicas up to when each has stored what it got. */
export function shareAsOf(parts: {
  asOf: Pick<AsOf, 'own' | 'setOthers'>
  replicas: Replicas
  consumer: Pick<Consumer, 'inFlight'>
  log: Log
  now: () => Date
}): Stoppable {
  const { asOf, replicas, consumer, log, now } = parts
  const step = async (): Promise<boolean> => {
    asOf.setOthers(await replicas.share(asOf.own(), now()))
    return false
  }
  const worker = startWorker({ name: 'as-of', log, step, idleMs: PAUSE_MS })
  return {
    name: worker.name,
    async stop(deadlineMs) {
      await worker.stop(deadlineMs)
      // What is still in hand goes to another replica: until it is there, the time that this one shared last still counts.
      if (consumer.inFlight === 0) await replicas.leave()
    },
  }
}
