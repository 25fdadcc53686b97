import type { Connection } from 'mongoose'
import type { Copy } from '../domain/copy.ts'
import { deliveryModel, type DeliveryDocument } from './delivery-model.ts'

/** A recorded webhook by its id. */
export interface RecordedWebhook {
  readonly id: string
  readonly createdAt: Date
}

/** The recorded webhooks of payments, as a listening merchant sees them. Those of refunds are left out. */
export interface RecordedWebhooks {
  /** A merchant's webhooks created from an instant on, and of these only those after the last one of an earlier read; the oldest first. */
  ids(merchantId: string, from: Date, after: RecordedWebhook | undefined, limit: number): Promise<RecordedWebhook[]>
  /** The copies of webhooks, the oldest first. */
  copiesOf(ids: readonly string[]): Promise<Copy[]>
}

const ID_FIELDS = { created_at: 1 } as const
const COPY_FIELDS = { merchant_id: 1, sequence: 1, body: 1, created_at: 1 } as const
type IdRow = Pick<DeliveryDocument, '_id' | keyof typeof ID_FIELDS>
type CopyRow = Pick<DeliveryDocument, '_id' | keyof typeof COPY_FIELDS>

const OLDEST_FIRST = { created_at: 1, _id: 1 } as const

export function mongoRecordedWebhooks(connection: Connection): RecordedWebhooks {
  const deliveries = deliveryModel(connection)
  return {
    async ids(merchantId, from, after, limit) {
      const filter = {
        merchant_id: merchantId,
        created_at: { $gte: after?.createdAt ?? from },
        channel: { $exists: false },
        ...(after && { $or: [{ created_at: { $gt: after.createdAt } }, { _id: { $gt: after.id } }] }),
      }
      const found = await deliveries.find(filter, ID_FIELDS).sort(OLDEST_FIRST).limit(limit).lean<IdRow[]>()
      return found.map(({ _id: id, created_at: createdAt }) => ({ id, createdAt }))
    },

    async copiesOf(ids) {
      const found = await deliveries
        .find({ _id: { $in: [...ids] } }, COPY_FIELDS)
        .sort(OLDEST_FIRST)
        .lean<CopyRow[]>()
      return found.map(({ _id: id, merchant_id: merchantId, sequence, body, created_at: createdAt }) => ({
        ...{ id, merchantId, sequence, body, createdAt },
      }))
    },
  }
}
