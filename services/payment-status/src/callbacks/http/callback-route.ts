import { Refused, SIGNATURE_HEADERS, verifySignature, type SigningKey } from '@gateway/contracts'
import type { HotRoute } from '@gateway/service-kit/http'
import type { RecordReport } from '../use-cases/record-report.ts'

/**
 * The network reports on a payment or a refund (design, sections 5 and 10). The signature covers the bytes, so the body is read raw.
 * `200` recorded or known already, `401` bad signature, `503` try again.
 */
export function callbackRoute(
  path: string,
  record: RecordReport,
  { keys, now }: { readonly keys: readonly SigningKey[]; readonly now: () => Date },
): HotRoute {
  return {
    path,
    reads: 'bytes',
    async handle({ get, body }) {
      const message = {
        id: get(SIGNATURE_HEADERS.id) ?? '',
        timestamp: get(SIGNATURE_HEADERS.timestamp) ?? '',
        signature: get(SIGNATURE_HEADERS.signature) ?? '',
        body,
      }
      if (!verifySignature(message, keys, now())) {
        throw new Refused('signature_invalid', 'The signature of the callback is not valid')
      }
      return { status: 200, body: { status: await record(body) } }
    },
  }
}
