import { Router } from 'express'
import { compile } from '@gateway/contracts'
import type { Log } from '@gateway/service-kit'
import type { ListDisabledEndpoints } from '../use-cases/list-disabled-endpoints.ts'
import type { ResetEndpoint } from '../use-cases/reset-endpoint.ts'
import { DEFAULT_LIMIT, emptyBody } from './schemas.ts'

export interface OperatorEndpointRoutesOptions {
  readonly listDisabledEndpoints: ListDisabledEndpoints
  readonly resetEndpoint: ResetEndpoint
  readonly log: Log
}

const disabledQuery = compile({
  type: 'object',
  additionalProperties: false,
  properties: {
    limit: { type: 'string', pattern: '^(?:[1-9]\\d?|100)$' },
    after: { type: 'string', minLength: 1, maxLength: 256, format: 'plain-text' },
  },
})

const undoBody = compile({
  type: 'object',
  additionalProperties: false,
  required: ['since'],
  properties: { since: { type: 'string', format: 'date-time' } },
})

/**
 * Operators' list of disabled endpoints, which only their merchants enable, and the changes of an endpoint after a theft of its
 * merchant's credential. Each use is logged.
 */
export function operatorEndpointRoutes(options: OperatorEndpointRoutesOptions): Router {
  const { listDisabledEndpoints, resetEndpoint, log } = options
  const router = Router().get('/operator/v1/endpoints/disabled', async (request, response) => {
    const { limit, after } = disabledQuery.parse({ ...request.query })
    const { disabled, next = null } = await listDisabledEndpoints({ limit: Number(limit ?? DEFAULT_LIMIT), after })
    log.info('operator', { action: 'list_disabled_endpoints', count: disabled.length })
    const endpoints = disabled.map(({ merchantId, url, at, reason, failingSince }) => ({
      merchant_id: merchantId,
      url,
      disabled_at: at.toISOString(),
      reason,
      failing_since: failingSince.toISOString(),
    }))
    response.json({ data: { endpoints }, next_after: next })
  })
  return router
    .post('/operator/v1/endpoints/:merchantId/undo-changes', async (request, response) => {
      const { since } = undoBody.parse(request.body)
      const merchant = request.params.merchantId
      const { urls, undone } = await resetEndpoint.undoChanges(merchant, new Date(since))
      log.info('operator', { action: 'undo_endpoint_changes', merchant, since, undone })
      response.json({ data: { merchant_id: merchant, url: urls.payment, refund_url: urls.refund, undone } })
    })
    .post('/operator/v1/endpoints/:merchantId/expire-secrets', async (request, response) => {
      emptyBody.parse(request.body ?? {})
      const merchant = request.params.merchantId
      const expired = await resetEndpoint.expireSecrets(merchant)
      log.info('operator', { action: 'expire_secrets', merchant, expired })
      response.json({ data: { merchant_id: merchant, expired } })
    })
}
