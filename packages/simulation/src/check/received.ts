import { Webhook as Verifier } from 'standardwebhooks'
import type { ReceivedChange, ReceivedRefund } from './history.ts'

/** A merchant's two endpoints, by the secrets that sign their webhooks. */
export interface WebhookSecrets {
  readonly payments: string
  readonly refunds: string
}

interface WebhookRequest {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export const paymentPath = (merchantId: string): string => `/hooks/${merchantId}`
export const refundPath = (merchantId: string): string => `/refunds/${merchantId}`

/** Every webhook that merchants have received, as the history has them. */
export class ReceivedWebhooks {
  readonly webhooks: ReceivedChange[] = []
  readonly refundWebhooks: ReceivedRefund[] = []

  /** Returns what notes a merchant's webhooks: when each came, and what it was answered. */
  of(merchantId: string, secrets: WebhookSecrets) {
    const [ofPayments, ofRefunds] = [new Verifier(secrets.payments), new Verifier(secrets.refunds)]
    return (request: WebhookRequest, seen: Pick<ReceivedChange, 'atMs' | 'answered'>): void => {
      if (request.path === refundPath(merchantId)) {
        const { data } = JSON.parse(request.body) as { data: Record<'id' | 'status', string> }
        this.refundWebhooks.push({ ...readCommon(request, ofRefunds), ...seen, refund: data.id, status: data.status })
        return
      }
      const { txnid, merchantTxnId, status } = JSON.parse(request.body) as Record<'txnid' | 'merchantTxnId' | 'status', string>
      const names = { transaction: txnid, order: `${merchantId}/${merchantTxnId}`, status }
      const isAtItsUrl = request.path === paymentPath(merchantId)
      this.webhooks.push({ ...readCommon(request, ofPayments), ...seen, ...names, isAtItsUrl })
    }
  }
}

function readCommon({ headers, body }: WebhookRequest, verifier: Verifier) {
  let isAuthentic = true
  try {
    verifier.verify(body, { ...headers })
  } catch {
    isAuthentic = false
  }
  return { id: headers['webhook-id'] ?? '', sequence: Number(headers['webhook-sequence']), body, isAuthentic }
}
