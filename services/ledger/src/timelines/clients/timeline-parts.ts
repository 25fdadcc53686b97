import { Refused, timelinePart, webhookTimeline, type TimelinePart, type WebhookTimeline } from '@gateway/contracts'
import { createServiceClient, problemCode } from '@gateway/service-kit/http-client'

const MAX_SOCKETS = 8
const PAYMENT_TIMEOUT_MS = 10_000
/** A payment has at most 16 MiB, the database's limit. */
const MAX_PAYMENT_BYTES = 32 * 1024 * 1024
const WEBHOOKS_TIMEOUT_MS = 3000
/** More than the latest 50 attempts of each webhook of a payment and its refunds. */
const MAX_WEBHOOKS_BYTES = 4 * 1024 * 1024

export type TimelineParts = ReturnType<typeof createTimelineParts>

/** The parts of a timeline at other services. Each call throws `Unavailable` when there is no valid answer. */
export function createTimelineParts(options: { paymentStatusUrl: string; webhookDispatcherUrl: string; serviceToken: string }) {
  const shared = { bearer: options.serviceToken, maxSockets: MAX_SOCKETS }
  const payments = createServiceClient({
    ...shared,
    baseUrl: options.paymentStatusUrl,
    timeoutMs: PAYMENT_TIMEOUT_MS,
    maxAnswerBytes: MAX_PAYMENT_BYTES,
    unavailable: { code: 'payment_status_unavailable', detail: 'Payments cannot be read now; try again' },
  })
  const webhooks = createServiceClient({
    ...shared,
    baseUrl: options.webhookDispatcherUrl,
    timeoutMs: WEBHOOKS_TIMEOUT_MS,
    maxAnswerBytes: MAX_WEBHOOKS_BYTES,
    unavailable: { code: 'webhooks_unavailable', detail: 'Webhooks cannot be read now; try again' },
  })
  return {
    /** Throws `order_not_found`, also for an order of another merchant. */
    async ofPayment(merchantId: string, orderId: string): Promise<TimelinePart> {
      const { status, data } = await payments.get(pathOf(merchantId, orderId))
      // A 404 of a proxy says nothing about the order.
      if (status === 404 && problemCode(data) === 'order_not_found')
        throw new Refused('order_not_found', 'There is no such order')
      if (status !== 200 || !timelinePart(data)) throw payments.unavailable(`status ${status}`)
      return data
    },
    /** The webhooks of a payment and of its refunds. */
    async ofWebhooks(merchantId: string, orderId: string): Promise<WebhookTimeline> {
      const { status, data } = await webhooks.get(pathOf(merchantId, orderId))
      if (status !== 200 || !webhookTimeline(data)) throw webhooks.unavailable(`status ${status}`)
      return data
    },
  }
}

function pathOf(merchantId: string, orderId: string): string {
  return `/internal/v1/timelines/${[merchantId, orderId].map(encodeURIComponent).join('/')}`
}
