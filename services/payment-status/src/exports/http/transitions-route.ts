import { Router } from 'express'
import { INTERNAL_CALLERS, instantOf, MAX_TRANSITIONS_LIMIT, transitionsQuery } from '@gateway/contracts'
import type { RequireCaller } from '@gateway/service-kit/http'
import type { ExportTransitions } from '../use-cases/export-transitions.ts'

/** Every committed status change, page by page, for the audit of webhooks (contracts, transitions.ts). The gateway does not route it. */
export function transitionsRoute(dependencies: { requireCaller: RequireCaller; exportTransitions: ExportTransitions }): Router {
  const { requireCaller, exportTransitions } = dependencies
  const { transitions } = INTERNAL_CALLERS['payment-status']
  return Router().get('/internal/v1/transitions', requireCaller(transitions), async (request, response) => {
    const { since, until, cursor: after, limit } = transitionsQuery.parse({ ...request.query })
    const filter = { since: instantOf(since), until: instantOf(until), after, limit: Number(limit ?? MAX_TRANSITIONS_LIMIT) }
    response.json(await exportTransitions(filter))
  })
}
