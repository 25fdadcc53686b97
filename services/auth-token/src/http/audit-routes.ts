import { Router } from 'express'
import {
  auditEntryRequest,
  auditQuery,
  compile,
  auditQuerySchema,
  ValidationFailed,
  type AuditEntryView,
  type AuditResponse,
} from '@gateway/contracts'
import { merchantOf, type RequireMerchant } from '@gateway/service-kit/merchant-auth'
import type { AuditLog, AuditPosition, StoredAuditEntry } from '../persistence/audit-log.ts'

const DEFAULT_LIMIT = 50
const DAY_MS = 86_400_000

interface AuditRoutesOptions {
  readonly auditLog: AuditLog
  readonly now: () => Date
}

/** `GET /api/v1/audit`: who did what with this merchant's account, newest first (design, section 5). */
export function auditRoutes(requireMerchant: RequireMerchant, options: AuditRoutesOptions): Router {
  return Router().get('/api/v1/audit', requireMerchant('credentials'), async (request, response) => {
    const query = auditQuery.parse({ ...request.query })
    const { entries, ...rest } = await readPage({ ...query, merchantId: merchantOf(response).merchantId }, options)
    response.json({ data: { entries: entries.map(entryView) }, ...rest } satisfies AuditResponse)
  })
}

const operatorQuery = compile({
  ...auditQuerySchema,
  properties: { ...auditQuerySchema.properties, merchant_id: { type: 'string', pattern: '^[A-Za-z0-9_]{1,64}$' } },
})

/** `GET /operator/v1/audit`: the same of all merchants, and with what they do not see. */
export function operatorAuditRoutes(options: AuditRoutesOptions): Router {
  return Router().get('/operator/v1/audit', async (request, response) => {
    const { merchant_id: merchantId, ...query } = operatorQuery.parse({ ...request.query })
    const { entries, ...rest } = await readPage({ ...query, merchantId }, options)
    const view = entries.map((entry) => ({
      ...entryView(entry),
      merchant_id: entry.merchant_id,
      request_id: entry.request_id,
    }))
    response.json({ data: { entries: view }, ...rest })
  })
}

/** `POST /internal/v1/audit`: other services append what merchants and operators do there. */
export function internalAuditRoutes({ auditLog, now }: AuditRoutesOptions): Router {
  return Router().post('/internal/v1/audit', async (request, response) => {
    await auditLog.append({ ...auditEntryRequest.parse(request.body), at: now() })
    response.status(204).end()
  })
}

interface PageQuery {
  readonly merchantId: string | undefined
  readonly from?: string
  readonly to?: string
  readonly limit?: string
  readonly cursor?: string
}

async function readPage({ merchantId, from, to, limit, cursor }: PageQuery, { auditLog, now }: AuditRoutesOptions) {
  const size = Number(limit ?? DEFAULT_LIMIT)
  const end = to === undefined ? new Date(now().getTime() + DAY_MS) : new Date(to)
  // One entry more than requested shows whether there is a next page.
  const found = await auditLog.page({ merchantId, from: new Date(from ?? 0), to: end, after: readCursor(cursor) }, size + 1)
  const entries = found.slice(0, size)
  const last = entries.at(-1)
  return { entries, next_cursor: last && found.length > size ? writeCursor(last) : null }
}

function entryView(entry: StoredAuditEntry): AuditEntryView {
  return {
    at: entry.at.toISOString(),
    actor: entry.who,
    credential_id: entry.credential_id,
    address_prefix: entry.address_prefix,
    action: entry.action,
    target: entry.target,
    outcome: entry.outcome,
    count: entry.count,
  }
}

/** Opaque to callers; holds only where the page ended. */
function writeCursor({ at, id }: AuditPosition): string {
  return Buffer.from(`${at.getTime()}/${id}`).toString('base64url')
}

function readCursor(cursor: string | undefined): AuditPosition | undefined {
  if (cursor === undefined) return undefined
  const [, atMs, id] = /^(\d{1,15})\/([0-9a-f]{24})$/u.exec(Buffer.from(cursor, 'base64url').toString()) ?? []
  if (atMs === undefined || id === undefined) {
    throw new ValidationFailed([{ field: '/cursor', message: 'must be the next_cursor of an earlier page' }])
  }
  return { at: new Date(Number(atMs)), id }
}
