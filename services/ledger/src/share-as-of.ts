import type { Consumer } from '@gateway/messaging'
import { startWorker, type Log, type Stoppable } from '@gateway/service-kit'
import type { AsOf } from './as-of.ts'
import type { Replicas } from './persistence/replicas.ts'

const PAUSE_MS = 1000

/** Tells the other replicas again and again up to when this one has stored what it got, and hears it from them. */
export function shareAsOf(parts: {
  asOf: Pick<AsOf, 'own' | 'hear'>
  replicas: Replicas
  consumer: Pick<Consumer, 'inFlight'>
  log: Log
  now: () => Date
}): Stoppable {
  const { asOf, replicas, consumer, log, now } = parts
  const step = async (): Promise<boolean> => {
    asOf.hear(await replicas.tell(asOf.own(), now()))
    return false
  }
  const worker = startWorker({ name: 'as-of', log, step, idleMs: PAUSE_MS })
  return {
    name: worker.name,
    async stop(deadlineMs) {
      await worker.stop(deadlineMs)
      // What is still in hand goes to another replica: until it is there, this one's last word holds.
      if (consumer.inFlight === 0) await replicas.leave()
    },
  }
}
