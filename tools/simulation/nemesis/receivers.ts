import { setTimeout as sleep } from 'node:timers/promises'
import { Webhook as Verifier } from 'standardwebhooks'
import { startWebhookReceiver, type ReceivedWebhook } from '@gateway/testkit'
import type { KeyAndCertificate } from '@gateway/testkit/certificates'
import type { ReceivedChange } from '../check/history.ts'
import type { Merchant } from './clients.ts'

export interface Receivers {
  readonly webhooks: readonly ReceivedChange[]
  /** `hang`: requests are never answered until the mode changes, and then their connections end. `fail`: 500. */
  mode: 'answer' | 'hang' | 'fail'
  stop(): Promise<void>
}

const LOOK_EVERY_MS = 100

/** A webhook server for each merchant, registered at the gateway. */
export async function startReceivers(
  merchants: readonly Merchant[],
  ca: KeyAndCertificate,
  nowMs: () => number,
): Promise<Receivers> {
  const webhooks: ReceivedChange[] = []
  const servers = await Promise.all(merchants.map(async () => startWebhookReceiver({ ca })))
  const receivers: Receivers = {
    webhooks,
    mode: 'answer',
    async stop() {
      await Promise.all(servers.map(async (server) => server.stop()))
    },
  }
  for (const [index, merchant] of merchants.entries()) {
    const server = servers[index]
    if (!server) throw new Error('every merchant has a server')
    const { merchantId } = merchant
    const path = `/hooks/${merchantId}`
    const { signing_secret: secret } = await merchant.gateway.endpoint.register(`${server.url}${path}`)
    if (secret === undefined) throw new Error('a new merchant had an endpoint')
    const verifier = new Verifier(secret)
    server.respondWith(async (request) => {
      const atMs = nowMs()
      const { mode } = receivers
      while (receivers.mode === 'hang') await sleep(LOOK_EVERY_MS)
      const answered = mode === 'hang' ? null : mode === 'fail' ? 500 : 200
      webhooks.push({ ...read(request, merchantId, verifier), atMs, isAtItsUrl: request.path === path, answered })
      return answered === null ? { status: 200, destroy: true } : { status: answered }
    })
  }
  return receivers
}

function read({ headers, body }: ReceivedWebhook, merchantId: string, verifier: Verifier) {
  const text = body.toString('utf8')
  const { txnid, merchantTxnId, status } = JSON.parse(text) as Record<'txnid' | 'merchantTxnId' | 'status', string>
  let isAuthentic = true
  try {
    verifier.verify(body, headers as Record<string, string>)
  } catch {
    isAuthentic = false
  }
  const [id, sequence] = [String(headers['webhook-id']), Number(headers['webhook-sequence'])]
  return { id, sequence, transaction: txnid, order: `${merchantId}/${merchantTxnId}`, status, body: text, isAuthentic }
}
