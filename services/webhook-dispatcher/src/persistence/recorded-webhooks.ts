import type { Connection } from 'mongoose'
import type { Copy } from '../domain/copy.ts'
import { deliveryModel, type DeliveryDocument } from './delivery-model.ts'

/** The webhooks of payments in the collection `deliveries`. Those of refunds are left out. */
export interface RecordedWebhooks {
  /** The ids of a merchant's webhooks created at `from` or later, and before `to` if that is given; the oldest first. */
  ids(merchantId: string, from: Date, to: Date | undefined): Promise<string[]>
  /** Webhooks as copies, the oldest first. */
  read(ids: readonly string[]): Promise<Copy[]>
}

const FIELDS = { merchant_id: 1, sequence: 1, body: 1, created_at: 1 } as const
type Row = Pick<DeliveryDocument, '_id' | keyof typeof FIELDS>

const OLDEST_FIRST = { created_at: 1, _id: 1 } as const

export function mongoRecordedWebhooks(connection: Connection): RecordedWebhooks {
  const deliveries = deliveryModel(connection)
  return {
    async ids(merchantId, from, to) {
      const range = { $gte: from, ...(to && { $lt: to }) }
      const filter = { merchant_id: merchantId, created_at: range, channel: { $exists: false } }
      const found = await deliveries.find(filter, { _id: 1 }).sort(OLDEST_FIRST).lean<Pick<Row, '_id'>[]>()
      return found.map(({ _id }) => _id)
    },

    async read(ids) {
      const filter = { _id: { $in: [...ids] } }
      const found = await deliveries.find(filter, FIELDS).sort(OLDEST_FIRST).lean<Row[]>()
      return found.map(({ _id: id, merchant_id: merchantId, sequence, body, created_at: createdAt }) => ({
        ...{ id, merchantId, sequence, body, createdAt },
      }))
    },
  }
}
