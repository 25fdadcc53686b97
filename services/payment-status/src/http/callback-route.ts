import express, { Router, type Request } from 'express'
import { Refused, SIGNATURE_HEADERS, verifySignature, type SigningKey } from '@gateway/contracts'
import { BODY_LIMIT_BYTES } from '@gateway/service-kit'
import type { RecordReport } from '../use-cases/record-report.ts'

/**
 * `POST /network/v1/callbacks`: the network reports on a payment (design, section 5). The signature is over the bytes,
 * so the body is read raw. `200` recorded or known already, `401` bad signature, `503` try again.
 */
export function callbackRoute(dependencies: {
  recordReport: RecordReport
  keys: readonly SigningKey[]
  now: () => Date
}): Router {
  const { recordReport, keys, now } = dependencies
  const raw = express.raw({ type: () => true, limit: BODY_LIMIT_BYTES })
  return Router().post('/network/v1/callbacks', raw, async (request, response) => {
    const raw: unknown = request.body
    const body = Buffer.isBuffer(raw) ? raw : Buffer.alloc(0)
    if (!isAuthentic(request, body, keys, now()))
      throw new Refused('signature_invalid', 'The signature of the callback is not valid')
    response.json({ status: await recordReport(body) })
  })
}

function isAuthentic(request: Request, body: Buffer, keys: readonly SigningKey[], now: Date): boolean {
  const header = (name: string): string => request.get(name) ?? ''
  const message = {
    id: header(SIGNATURE_HEADERS.id),
    timestamp: header(SIGNATURE_HEADERS.timestamp),
    signature: header(SIGNATURE_HEADERS.signature),
    body,
  }
  return verifySignature(message, keys, now)
}
