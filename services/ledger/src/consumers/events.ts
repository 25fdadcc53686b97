import {
  compileReader,
  TRANSACTION_ID_PATTERN,
  transactionStatusChangedReader,
  TRANSACTION_STATUS_CHANGED,
} from '@gateway/contracts'
import { handleAs, type IncomingMessage, type Outcome } from '@gateway/messaging'
import { handleMessage } from '@gateway/service-kit/tracing'
import type { ApplyEvent } from '../use-cases/apply-event.ts'

/** Events about reversals and refunds: the ledger reads the payment again, so it needs only the payment's id. */
const otherEvent = compileReader({
  type: 'object',
  required: ['occurred_at', 'correlation_id', 'data'],
  properties: {
    occurred_at: { type: 'string', format: 'date-time' },
    correlation_id: { type: 'string' },
    data: {
      type: 'object',
      required: ['transaction_id'],
      properties: { transaction_id: { type: 'string', pattern: TRANSACTION_ID_PATTERN } },
    },
  },
})

export interface EventsConsumerOptions {
  readonly apply: ApplyEvent
  readonly queue: string
  /** Called with the time of an event after it is stored in the ledger. */
  readonly applied: (occurredAt: Date) => void
}

/** Handles each message of the ledger's queue by its type. */
export function eventsConsumer({ apply, queue, applied }: EventsConsumerOptions): (message: IncomingMessage) => Promise<Outcome> {
  const statusChanged = handleAs(transactionStatusChangedReader, (event, message) =>
    handleMessage<Outcome>({ ...message, correlationId: event.correlation_id }, queue, async () => {
      await apply.statusChanged(event)
      applied(new Date(event.occurred_at))
      return 'ack'
    }),
  )
  const other = handleAs(otherEvent, (event, message) =>
    handleMessage<Outcome>({ ...message, correlationId: event.correlation_id }, queue, async () => {
      await apply.changed(event.data.transaction_id)
      applied(new Date(event.occurred_at))
      return 'ack'
    }),
  )
  return (message) => (message.type === TRANSACTION_STATUS_CHANGED ? statusChanged(message) : other(message))
}
