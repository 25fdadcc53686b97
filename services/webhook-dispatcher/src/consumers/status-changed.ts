import { transactionStatusChanged } from '@gateway/contracts'
import { CLAIM_FIRST_HEADER, type IncomingMessage, type Outcome } from '@gateway/messaging'
import { handleMessage } from '@gateway/service-kit/tracing'
import { parkedOf, type Park } from '../publishing/park.ts'
import type { DeliverFirst } from '../use-cases/deliver-first.ts'
import { readMessage } from './read-message.ts'

/** `transaction.status-changed` → the first attempt of its webhook. */
export function statusChangedConsumer({ deliverFirst, park, queue }: { deliverFirst: DeliverFirst; park: Park; queue: string }) {
  return async (incoming: IncomingMessage): Promise<Outcome> => {
    const read = readMessage(transactionStatusChanged, incoming.body)
    if ('poison' in read) return read.poison
    return handleMessage<Outcome>({ ...incoming, correlationId: read.message.correlation_id }, queue, async () => {
      const claimFirst = incoming.redelivered || incoming.headers[CLAIM_FIRST_HEADER] === true
      const delivered = await deliverFirst(read.message, { claimFirst, parked: parkedOf(incoming.headers) })
      if (delivered !== 'done') await park(incoming, delivered.parkMs, claimFirst)
      return 'ack'
    })
  }
}
