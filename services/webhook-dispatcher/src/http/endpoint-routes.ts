import { Router } from 'express'
import { registerEndpointRequest } from '@gateway/contracts'
import { merchantOf, type RequireMerchant } from '@gateway/service-kit/merchant-auth'
import type { EnableEndpoint } from '../use-cases/enable-endpoint.ts'
import type { CurrentEndpoint, ReadEndpoint } from '../use-cases/read-endpoint.ts'
import type { RegisterEndpoint } from '../use-cases/register-endpoint.ts'
import type { RotateSecret } from '../use-cases/rotate-secret.ts'
import type { SendTestEvent } from '../use-cases/send-test-event.ts'
import { emptyBody } from './schemas.ts'

export interface EndpointRoutesOptions {
  readonly requireMerchant: RequireMerchant
  readonly registerEndpoint: RegisterEndpoint
  readonly readEndpoint: ReadEndpoint
  readonly enableEndpoint: EnableEndpoint
  readonly rotateSecret: RotateSecret
  readonly sendTestEvent: SendTestEvent
}

/** Routes for a merchant's own webhook endpoint (design, section 5). */
export function endpointRoutes(options: EndpointRoutesOptions): Router {
  const { requireMerchant, registerEndpoint, readEndpoint, enableEndpoint, rotateSecret, sendTestEvent } = options
  return Router()
    .put('/api/v1/webhooks/endpoint', requireMerchant('webhooks'), async (request, response) => {
      const { url } = registerEndpointRequest.parse(request.body)
      const { since, signingSecret } = await registerEndpoint(merchantOf(response).merchantId, url)
      const secret = signingSecret === undefined ? {} : { signing_secret: signingSecret }
      response.set('cache-control', 'no-store').json({ data: { ...endpointView({ url, since, disabled: null }), ...secret } })
    })
    .get('/api/v1/webhooks/endpoint', requireMerchant('webhooks'), async (_request, response) => {
      response.json({ data: endpointView(await readEndpoint(merchantOf(response).merchantId)) })
    })
    .post('/api/v1/webhooks/endpoint/enable', requireMerchant('webhooks'), async (request, response) => {
      emptyBody.parse(request.body ?? {})
      response.json({ data: endpointView(await enableEndpoint(merchantOf(response).merchantId)) })
    })
    .post('/api/v1/webhooks/endpoint/rotate-secret', requireMerchant('webhooks'), async (request, response) => {
      emptyBody.parse(request.body ?? {})
      const signingSecret = await rotateSecret(merchantOf(response).merchantId)
      response.set('cache-control', 'no-store').json({ data: { signing_secret: signingSecret } })
    })
    .post('/api/v1/webhooks/test', requireMerchant('webhooks'), async (request, response) => {
      emptyBody.parse(request.body ?? {})
      const { statusCode, durationMs, error } = await sendTestEvent(merchantOf(response).merchantId)
      response.json({ data: { status_code: statusCode, duration_ms: durationMs, error } })
    })
}

function endpointView({ url, since, disabled }: CurrentEndpoint) {
  return {
    url,
    since: since.toISOString(),
    disabled: disabled && { at: disabled.at.toISOString(), reason: disabled.reason },
  }
}
