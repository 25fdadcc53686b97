import axios from 'axios'
import { SIGNATURE_HEADERS, sign, type NetworkReport, type SigningKey } from '@gateway/contracts'

/** Sends one report to the gateway, signed (Standard Webhooks). True when it was acknowledged with 200. */
export type SendCallback = (messageId: string, report: NetworkReport) => Promise<boolean>

const TIMEOUT_MS = 8000
const MAX_ANSWER_BYTES = 16 * 1024

export function makeSendCallback(options: { url: string; key: SigningKey; now: () => Date }): SendCallback {
  return async (messageId, report) => {
    // The bytes that are signed are the bytes that are sent.
    const body = Buffer.from(JSON.stringify(report))
    const timestamp = Math.floor(options.now().getTime() / 1000)
    const response = await axios
      .post<unknown>(options.url, body, {
        headers: {
          'content-type': 'application/json',
          [SIGNATURE_HEADERS.id]: messageId,
          [SIGNATURE_HEADERS.timestamp]: String(timestamp),
          [SIGNATURE_HEADERS.signature]: sign(messageId, timestamp, body, [options.key]),
        },
        timeout: TIMEOUT_MS,
        maxContentLength: MAX_ANSWER_BYTES,
        maxRedirects: 0,
        proxy: false,
        validateStatus: () => true,
      })
      .catch(() => undefined)
    return response?.status === 200
  }
}
