/** What a merchant saw of one payment of the demo. */
import type { Delivery, Order } from '@gateway/sdk'
import type { RefundWebhook, WebhookAttempt } from '../support/merchant-site.ts'

/** The order as the merchant created it. */
export interface SentOrder {
  readonly orderId: string
  readonly transactionId: string
  readonly metadata: { readonly udf1: string; readonly udf2: string; readonly udf3: string }
}

type LoggedDelivery = Pick<Delivery, 'sequence' | 'status'> & {
  readonly attempts: readonly Pick<Delivery['attempts'][number], 'status_code'>[]
}

export interface Evidence {
  readonly order: SentOrder
  readonly search: Pick<Order, 'transaction' | 'checkout'>
  /** In order of arrival. */
  readonly webhooks: readonly WebhookAttempt[]
  /** Webhooks of the payment, without those of its refunds. */
  readonly deliveries: readonly LoggedDelivery[]
  /** In order of arrival. */
  readonly refundWebhooks: readonly RefundWebhook[]
}

/** Notes a problem, in words, when the two values differ. */
export type ExpectSame = (what: string, actual: unknown, expected: unknown) => void
