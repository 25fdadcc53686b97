import { Histogram } from 'prom-client'
import { paymentEventReader } from '@gateway/contracts'
import { handleAs, type IncomingMessage, type Outcome } from '@gateway/messaging'
import type { Metrics } from '@gateway/service-kit'
import { handleMessage } from '@gateway/service-kit/tracing'
import type { StoreCopy } from '../use-cases/store-copies.ts'

/**
 * Stores the copy of the payment that each event carries: changes of payments, of refunds and of reversals.
 *
 * @param stored called with the time of an event after its copy is stored
 */
export function eventsConsumer(
  storeCopy: StoreCopy,
  queue: string,
  stored: (occurredAt: Date) => void,
): (message: IncomingMessage) => Promise<Outcome> {
  return handleAs(paymentEventReader, (event, message) =>
    handleMessage<Outcome>({ ...message, correlationId: event.correlation_id }, queue, async () => {
      await storeCopy(event.data.payment)
      stored(new Date(event.occurred_at))
      return 'ack'
    }),
  )
}

/** Measures how far the ledger is behind. Call the returned function with the time of each event that is stored. */
export function lagMetric({ registry }: Metrics, now: () => Date): (occurredAt: Date) => void {
  const lag = new Histogram({
    name: 'ledger_lag_seconds',
    help: 'From an event to its appearance in the ledger',
    buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60, 300, 1800],
    registers: [registry],
  })
  return (occurredAt) => lag.observe(Math.max(0, (now().getTime() - occurredAt.getTime()) / 1000))
}
