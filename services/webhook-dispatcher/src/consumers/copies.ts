import { transactionStatusChangedReader, ValidationFailed, type TransactionStatusChanged } from '@gateway/contracts'
import {
  consume,
  type Broker,
  type Consumer,
  type IncomingMessage,
  type Outcome,
  type Publisher,
  type Queue,
} from '@gateway/messaging'
import type { Log } from '@gateway/service-kit'
import { MAX_COPIES, type StoreCopy } from '../use-cases/store-copies.ts'

export interface CopiesConsumerOptions {
  readonly broker: Broker
  readonly publisher: Publisher
  readonly queue: Queue
  readonly storeCopy: StoreCopy
  readonly log: Log
}

/**
 * Stores the copy of each status change. Nothing is dead-lettered, since the consumer of deliveries gets the same events. A
 * failure is tried again until the message expires.
 */
export function startCopiesConsumer({ broker, publisher, queue, storeCopy, log }: CopiesConsumerOptions): Consumer {
  const handle = async ({ body }: IncomingMessage): Promise<Outcome> => {
    const event = readEvent(body)
    if (event) await storeCopy(event)
    return 'ack'
  }
  return consume(broker, { queue, prefetch: MAX_COPIES, handle, isTemporary: () => true, publisher, log })
}

/** `undefined` for an event that cannot be read; the consumer of deliveries dead-letters it. */
function readEvent(body: Buffer): TransactionStatusChanged | undefined {
  try {
    return transactionStatusChangedReader.parse(JSON.parse(body.toString('utf8')))
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof ValidationFailed) return undefined
    throw error
  }
}
