import { REFUND_CALLBACKS_PATH, Refused, SIGNATURE_HEADERS, verifySignature, type SigningKey } from '@gateway/contracts'
import type { HotRoute } from '@gateway/service-kit/http'
import type { RecordRefundReport } from '../../refunds/index.ts'
import type { RecordReport } from '../use-cases/record-report.ts'

interface Keys {
  readonly keys: readonly SigningKey[]
  readonly now: () => Date
}

/** `POST /network/v1/callbacks`: the network reports on a payment (design, section 5). */
export function callbackRoute({ recordReport, ...keys }: Keys & { recordReport: RecordReport }): HotRoute {
  return signedRoute('/network/v1/callbacks', recordReport, keys)
}

/** `POST /network/v1/callbacks/refunds`: the network reports on a refund (design, section 10). */
export function refundCallbackRoute({ recordReport, ...keys }: Keys & { recordReport: RecordRefundReport }): HotRoute {
  return signedRoute(REFUND_CALLBACKS_PATH, recordReport, keys)
}

/**
 * The signature covers the bytes, so the body is read raw. `200` recorded or known already, `401` bad signature, `503` try again.
 */
function signedRoute(path: string, record: (body: Buffer) => Promise<string>, { keys, now }: Keys): HotRoute {
  return {
    path,
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
      return { status: 200, body: { status: await record(body) } }
    },
  }
}
