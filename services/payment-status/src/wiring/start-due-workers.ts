import { startWorker, stoppedTogether, type Log, type Stoppable } from '@gateway/service-kit'
import type { DueWork } from '../payments/index.ts'

/** A worker each for due transactions and for due refunds, so that neither delays the other. They stop together. */
export function startDueWorkers(log: Log, useCases: { advanceDue: DueWork; advanceRefunds: DueWork }): Stoppable {
  return stoppedTogether(
    start('due transactions', 200, useCases.advanceDue, log),
    start('due refunds', 100, useCases.advanceRefunds, log),
  )
}

function start(name: string, idleMs: number, work: DueWork, log: Log): Stoppable {
  const worker = startWorker({ name, log, step: () => work.step(), idleMs })
  return { name, stop: (deadlineMs) => Promise.all([work.stop(), worker.stop(deadlineMs)]) }
}
