import { setTimeout as sleep } from 'node:timers/promises'
import { Webhook as Verifier } from 'standardwebhooks'
import type { RegisteredEndpoint } from '@gateway/sdk'
import { startWebhookReceiver, type ReceivedWebhook } from '@gateway/testkit'
import type { KeyAndCertificate } from '@gateway/testkit/certificates'
import type { ReceivedChange, ReceivedRefund } from '../check/history.ts'
import type { Merchant } from './merchant.ts'

export interface Receivers {
  readonly webhooks: readonly ReceivedChange[]
  readonly refundWebhooks: readonly ReceivedRefund[]
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
  const [webhooks, refundWebhooks]: [ReceivedChange[], ReceivedRefund[]] = [[], []]
  const servers = await Promise.all(merchants.map(async () => startWebhookReceiver({ ca })))
  const receivers: Receivers = {
    webhooks,
    refundWebhooks,
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
    const refundPath = `/refunds/${merchantId}`
    const verifier = verifierFor(await merchant.gateway.endpoint.register(`${server.url}${path}`))
    const refundVerifier = verifierFor(await merchant.gateway.refundEndpoint.register(`${server.url}${refundPath}`))
    server.respondWith(async (request) => {
      const atMs = nowMs()
      const { mode } = receivers
      while (receivers.mode === 'hang') await sleep(LOOK_EVERY_MS)
      const answered = mode === 'hang' ? null : mode === 'fail' ? 500 : 200
      if (request.path === refundPath) refundWebhooks.push({ ...readRefund(request, refundVerifier), atMs, answered })
      else webhooks.push({ ...readChange(request, merchantId, verifier), atMs, isAtItsUrl: request.path === path, answered })
      return answered === null ? { status: 200, destroy: true } : { status: answered }
    })
  }
  return receivers
}

function verifierFor({ signing_secret: secret }: RegisteredEndpoint): Verifier {
  if (secret === undefined) throw new Error('a new merchant had an endpoint')
  return new Verifier(secret)
}

function readChange(request: ReceivedWebhook, merchantId: string, verifier: Verifier) {
  const common = readCommon(request, verifier)
  const { txnid, merchantTxnId, status } = JSON.parse(common.body) as Record<'txnid' | 'merchantTxnId' | 'status', string>
  return { ...common, transaction: txnid, order: `${merchantId}/${merchantTxnId}`, status }
}

function readRefund(request: ReceivedWebhook, verifier: Verifier) {
  const common = readCommon(request, verifier)
  const { data } = JSON.parse(common.body) as { data: Record<'id' | 'status', string> }
  return { ...common, refund: data.id, status: data.status }
}

function readCommon({ headers, body }: ReceivedWebhook, verifier: Verifier) {
  let isAuthentic = true
  try {
    verifier.verify(body, headers as Record<string, string>)
  } catch {
    isAuthentic = false
  }
  const [id, sequence] = [String(headers['webhook-id']), Number(headers['webhook-sequence'])]
  return { id, sequence, body: body.toString('utf8'), isAuthentic }
}
