import { Router } from 'express'
import { registerEndpointRequest, type RotatedSecret } from '@gateway/contracts'
import type { Called } from '@gateway/service-kit'
import { merchantOf, type RequireMerchant } from '@gateway/service-kit/merchant-auth'
import type { EnableEndpoint } from '../use-cases/enable-endpoint.ts'
import type { CurrentEndpoint, ReadEndpoint } from '../use-cases/read-endpoint.ts'
import type { RegisterEndpoint } from '../use-cases/register-endpoint.ts'
import type { RotateSecret } from '../use-cases/rotate-secret.ts'
import type { SendTestEvent } from '../use-cases/send-test-event.ts'
import { emptyBody } from './schemas.ts'

export interface EndpointRoutesOptions extends EndpointUseCases {
  readonly requireMerchant: RequireMerchant
  readonly sendTestEvent: SendTestEvent
  /** The same for the endpoint of refunds. */
  readonly refundEndpoint: EndpointUseCases
}

/** What a merchant does with one of its endpoints. */
export interface EndpointUseCases {
  readonly registerEndpoint: Called<RegisterEndpoint>
  readonly readEndpoint: ReadEndpoint
  readonly enableEndpoint: Called<EnableEndpoint>
  readonly rotateSecret: Called<RotateSecret>
}

/** Routes for a merchant's own webhook endpoints (design, sections 5 and 10). */
export function endpointRoutes({ requireMerchant, sendTestEvent, refundEndpoint, ...endpoint }: EndpointRoutesOptions): Router {
  return Router()
    .use(routesOf('/api/v1/webhooks/endpoint', requireMerchant, endpoint))
    .use(routesOf('/api/v1/webhooks/refund-endpoint', requireMerchant, refundEndpoint))
    .post('/api/v1/webhooks/test', requireMerchant('webhooks'), async (request, response) => {
      emptyBody.parse(request.body ?? {})
      const { statusCode, durationMs, error } = await sendTestEvent(merchantOf(response).merchantId)
      response.json({ data: { status_code: statusCode, duration_ms: durationMs, error } })
    })
}

function routesOf(path: string, requireMerchant: RequireMerchant, useCases: EndpointUseCases): Router {
  const { registerEndpoint, readEndpoint, enableEndpoint, rotateSecret } = useCases
  return Router()
    .put(path, requireMerchant('webhooks'), async (request, response) => {
      const { url } = registerEndpointRequest.parse(request.body)
      const { since, signingSecret } = await registerEndpoint(merchantOf(response).merchantId, url)
      const secret = signingSecret === undefined ? {} : { signing_secret: signingSecret }
      response.set('cache-control', 'no-store').json({ data: { ...endpointView({ url, since, disabled: null }), ...secret } })
    })
    .get(path, requireMerchant('webhooks'), async (_request, response) => {
      response.json({ data: endpointView(await readEndpoint(merchantOf(response).merchantId)) })
    })
    .post(`${path}/enable`, requireMerchant('webhooks'), async (request, response) => {
      emptyBody.parse(request.body ?? {})
      response.json({ data: endpointView(await enableEndpoint(merchantOf(response).merchantId)) })
    })
    .post(`${path}/rotate-secret`, requireMerchant('webhooks'), async (request, response) => {
      emptyBody.parse(request.body ?? {})
      const { signingSecret, previousUntil } = await rotateSecret(merchantOf(response).merchantId)
      const data: RotatedSecret['data'] = { signing_secret: signingSecret, previous_secret_until: previousUntil.toISOString() }
      response.set('cache-control', 'no-store').json({ data })
    })
}

function endpointView({ url, since, disabled }: CurrentEndpoint) {
  return {
    url,
    since: since.toISOString(),
    disabled: disabled && { at: disabled.at.toISOString(), reason: disabled.reason },
  }
}
