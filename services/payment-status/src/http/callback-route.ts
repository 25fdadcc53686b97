import { Refused, SIGNATURE_HEADERS, verifySignature, type SigningKey } from '@gateway/contracts'
import type { HotRoute } from '@gateway/service-kit/http'
import type { RecordReport } from '../use-cases/record-report.ts'

/**
 * `POST /network/v1/callbacks`: the network reports on a payment (design, section 5). The signature covers the bytes, so the
 * body is read raw. `200` recorded or known already, `401` bad signature, `503` try again.
 */
export function callbackRoute(dependencies: {
  recordReport: RecordReport
  keys: readonly SigningKey[]
  now: () => Date
}): HotRoute {
  const { recordReport, keys, now } = dependencies
  return {
    path: '/network/v1/callbacks',
    reads: 'bytes',
    async handle({ header, body }) {
      const message = {
        id: header(SIGNATURE_HEADERS.id) ?? '',
        timestamp: header(SIGNATURE_HEADERS.timestamp) ?? '',
        signature: header(SIGNATURE_HEADERS.signature) ?? '',
        body,
      }
      if (!verifySignature(message, keys, now())) {
        throw new Refused('signature_invalid', 'The signature of the callback is not valid')
      }
      return { status: 200, body: { status: await recordReport(body) } }
    },
  }
}
