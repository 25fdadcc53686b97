import { Webhook as Verifier } from 'standardwebhooks'
import type { ReceivedChange, ReceivedRefund } from '../check/history.ts'
import type { HttpRequest, Network } from '../kernel/network.ts'
import type { SimulatedProcess } from '../kernel/process.ts'
import type { WebhookSecrets } from './secrets.ts'

/** `hang`: it never answers. `reset`: it processes the webhook and breaks the connection off. */
export type ReceiverMode = 'answer' | 'hang' | 'fail' | 'reset'

/** The merchants' webhook servers. */
export interface Receiver {
  mode: ReceiverMode
  readonly webhooks: readonly ReceivedChange[]
  readonly refundWebhooks: readonly ReceivedRefund[]
  /** Serves a merchant's endpoints. */
  serve(merchantId: string, secrets: WebhookSecrets): void
}

const hostOf = (merchantId: string): string => `${merchantId.replaceAll('_', '-')}.example.com`
export const urlOf = (merchantId: string): string => `https://${hostOf(merchantId)}/hooks/${merchantId}`

export const refundUrlOf = (merchantId: string): string => `https://${hostOf(merchantId)}/refunds/${merchantId}`

export function createReceiver(process: SimulatedProcess, network: Network): Receiver {
  const webhooks: ReceivedChange[] = []
  const refundWebhooks: ReceivedRefund[] = []
  const receiver: Receiver = {
    mode: 'answer',
    webhooks,
    refundWebhooks,
    serve(merchantId, secrets) {
      const [verifier, refundVerifier] = [new Verifier(secrets.payments), new Verifier(secrets.refunds)]
      network.listen(hostOf(merchantId), 443, process, async (request) => {
        const { mode } = receiver
        const answered = mode === 'answer' ? 200 : mode === 'fail' ? 500 : null
        const isAtItsUrl = request.path === `/hooks/${merchantId}`
        const atMs = process.kernel.nowMs
        if (request.path === `/refunds/${merchantId}`)
          refundWebhooks.push({ ...readRefund(request, refundVerifier), atMs, answered })
        else webhooks.push({ ...readChange(request, merchantId, verifier), atMs, isAtItsUrl, answered })
        if (mode === 'hang') return new Promise<undefined>(() => undefined)
        return answered === null ? undefined : { status: answered, body: '' }
      })
    },
  }
  return receiver
}

function readChange(request: HttpRequest, merchantId: string, verifier: Verifier) {
  const { txnid, merchantTxnId, status } = JSON.parse(request.body) as Record<'txnid' | 'merchantTxnId' | 'status', string>
  return { ...readCommon(request, verifier), transaction: txnid, order: `${merchantId}/${merchantTxnId}`, status }
}

function readRefund(request: HttpRequest, verifier: Verifier) {
  const { data } = JSON.parse(request.body) as { data: Record<'id' | 'status', string> }
  return { ...readCommon(request, verifier), refund: data.id, status: data.status }
}

function readCommon({ headers, body }: HttpRequest, verifier: Verifier) {
  let isAuthentic = true
  try {
    verifier.verify(body, { ...headers })
  } catch {
    isAuthentic = false
  }
  return { id: headers['webhook-id'] ?? '', sequence: Number(headers['webhook-sequence']), body, isAuthentic }
}
