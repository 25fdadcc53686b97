import { Router } from 'express'
import { compile } from '@gateway/contracts'
import type { Log } from '@gateway/service-kit'
import type { ListDisabledEndpoints } from '../use-cases/list-disabled-endpoints.ts'
import { DEFAULT_LIMIT } from './schemas.ts'

export interface OperatorEndpointRoutesOptions {
  readonly listDisabledEndpoints: ListDisabledEndpoints
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

/** Operators' list of disabled endpoints. Only their merchants enable them. Each use is logged. */
export function operatorEndpointRoutes(options: OperatorEndpointRoutesOptions): Router {
  const { listDisabledEndpoints, log } = options
  return Router().get('/operator/v1/endpoints/disabled', async (request, response) => {
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
}
