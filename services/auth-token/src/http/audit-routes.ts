import { Router } from 'express'
import {
  auditEntryRequest,
  auditQuery,
  compile,
  auditQuerySchema,
  type AuditEntryView,
  type AuditResponse,
} from '@gateway/contracts'
import type { Identify } from '@gateway/service-kit/merchant-auth'
import type { AuditPages, StoredAuditEntry } from '../use-cases/read-audit.ts'

/** `GET /api/v1/audit`: who did what with this merchant's account, newest first (design, section 5). */
export function auditRoutes(identify: Identify, audit: AuditPages): Router {
  return Router().get('/api/v1/audit', async (request, response) => {
    const { merchantId } = await identify(request, 'credentials')
    const query = auditQuery.parse({ ...request.query })
    const { entries, ...rest } = await audit.readPage({ ...query, merchantId })
    response.json({ data: { entries: entries.map(entryView) }, ...rest } satisfies AuditResponse)
  })
}

const operatorQuery = compile({
  ...auditQuerySchema,
  properties: { ...auditQuerySchema.properties, merchant_id: { type: 'string', pattern: '^[A-Za-z0-9_]{1,64}$' } },
})

/** `GET /operator/v1/audit`: the same of all merchants, and with what they do not see. */
export function operatorAuditRoutes(audit: AuditPages): Router {
  return Router().get('/operator/v1/audit', async (request, response) => {
    const { merchant_id: merchantId, ...query } = operatorQuery.parse({ ...request.query })
    const { entries, ...rest } = await audit.readPage({ ...query, merchantId })
    const view = entries.map((entry) => ({
      ...entryView(entry),
      merchant_id: entry.merchant_id,
      request_id: entry.request_id,
    }))
    response.json({ data: { entries: view }, ...rest })
  })
}

/** `POST /internal/v1/audit`: other services append what merchants and operators do there. */
export function internalAuditRoutes(audit: AuditPages): Router {
  return Router().post('/internal/v1/audit', async (request, response) => {
    await audit.append(auditEntryRequest.parse(request.body))
    response.status(204).end()
  })
}

function entryView({ at, who: actor, action, outcome, count, ...entry }: StoredAuditEntry): AuditEntryView {
  const { credential_id, address_prefix, target } = entry
  return { at: at.toISOString(), actor, credential_id, address_prefix, action, target, outcome, count }
}
