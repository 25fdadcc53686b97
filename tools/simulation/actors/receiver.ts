import { Webhook as Verifier } from 'standardwebhooks'
import type { ReceivedChange } from '../check/history.ts'
import type { HttpRequest, Network } from '../kernel/network.ts'
import type { SimulatedProcess } from '../kernel/process.ts'

/** `hang`: it never answers. `reset`: it processes the webhook and breaks the connection off. */
export type ReceiverMode = 'answer' | 'hang' | 'fail' | 'reset'

/** The merchants' webhook servers. */
export interface Receiver {
  mode: ReceiverMode
  readonly webhooks: readonly ReceivedChange[]
  /** Serves a merchant's endpoint. */
  serve(merchantId: string, secret: string): void
}

const hostOf = (merchantId: string): string => `${merchantId.replaceAll('_', '-')}.example.com`
export const urlOf = (merchantId: string): string => `https://${hostOf(merchantId)}/hooks/${merchantId}`

export function createReceiver(process: SimulatedProcess, network: Network): Receiver {
  const webhooks: ReceivedChange[] = []
  const receiver: Receiver = {
    mode: 'answer',
    webhooks,
    serve(merchantId, secret) {
      const verifier = new Verifier(secret)
      network.listen(hostOf(merchantId), 443, process, async (request) => {
        const { mode } = receiver
        const answered = mode === 'answer' ? 200 : mode === 'fail' ? 500 : null
        const isAtItsUrl = request.path === `/hooks/${merchantId}`
        const atMs = process.kernel.nowMs
        webhooks.push({ ...read(request, merchantId, verifier), atMs, isAtItsUrl, answered })
        if (mode === 'hang') return new Promise<undefined>(() => undefined)
        return answered === null ? undefined : { status: answered, body: '' }
      })
    },
  }
  return receiver
}

function read({ headers, body }: HttpRequest, merchantId: string, verifier: Verifier) {
  const { txnid, merchantTxnId, status } = JSON.parse(body) as Record<'txnid' | 'merchantTxnId' | 'status', string>
  let isAuthentic = true
  try {
    verifier.verify(body, { ...headers })
  } catch {
    isAuthentic = false
  }
  const [id = '', sequence] = [headers['webhook-id'], Number(headers['webhook-sequence'])]
  return { id, sequence, transaction: txnid, order: `${merchantId}/${merchantTxnId}`, status, body, isAuthentic }
}
