import { Router } from 'express'
import { instantOf, MAX_TRANSITIONS_LIMIT, transitionsQuery } from '@gateway/contracts'
import { requireBearer } from '@gateway/service-kit/http'
import type { ExportTransitions } from '../use-cases/export-transitions.ts'

/** Every committed status change, page by page, for the audit of webhooks (contracts, transitions.ts). The gateway does not route it. */
export function transitionsRoute(dependencies: { internalApiToken: string; exportTransitions: ExportTransitions }): Router {
  const { internalApiToken, exportTransitions } = dependencies
  return Router().get('/internal/v1/transitions', requireBearer(internalApiToken), async (request, response) => {
    const { since, until, cursor: after, limit } = transitionsQuery.parse({ ...request.query })
    const filter = { since: instantOf(since), until: instantOf(until), after, limit: Number(limit ?? MAX_TRANSITIONS_LIMIT) }
    response.json(await exportTransitions(filter))
  })
}
