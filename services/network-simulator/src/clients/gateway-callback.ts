import { SIGNATURE_HEADERS, sign, type NetworkReport, type RefundReport, type SigningKey } from '@gateway/contracts'
import { createServiceClient } from '@gateway/service-kit/http-client'

/** Sends one signed report to the gateway (Standard Webhooks). Returns true when the gateway answered 200; never rejects. */
export type SendCallback = (messageId: string, report: NetworkReport | RefundReport) => Promise<boolean>

/** Added to `CALLBACK_URL` for refunds (`REFUND_CALLBACKS_PATH` in contracts). */
const REFUNDS_PATH = '/refunds'

const TIMEOUT_MS = 8000
const MAX_ANSWER_BYTES = 16 * 1024

export function makeSendCallback(options: { url: string; key: SigningKey; now: () => Date; timeoutMs?: number }): SendCallback {
  const client = createServiceClient({
    baseUrl: options.url,
    timeoutMs: options.timeoutMs ?? TIMEOUT_MS,
    maxAnswerBytes: MAX_ANSWER_BYTES,
    unavailable: { code: 'gateway_unavailable', detail: 'The gateway cannot be reached; try again' },
  })
  return async (messageId, report) => {
    // Sign exactly the bytes that are sent.
    const body = Buffer.from(JSON.stringify(report))
    const timestamp = Math.floor(options.now().getTime() / 1000)
    const headers = {
      'content-type': 'application/json',
      [SIGNATURE_HEADERS.id]: messageId,
      [SIGNATURE_HEADERS.timestamp]: String(timestamp),
      [SIGNATURE_HEADERS.signature]: sign(messageId, timestamp, body, [options.key]),
    }
    const answer = await client.post('refund_id' in report ? REFUNDS_PATH : '', body, { headers }).catch(() => undefined)
    return answer?.status === 200
  }
}
