import { Router } from 'express'
import { registerEndpointRequest, type RotatedSecret } from '@gateway/contracts'
import type { Audited, Begin } from '@gateway/service-kit'
import type { Identify } from '@gateway/service-kit/merchant-auth'
import { endpointIdOf, type Channel, type EndpointId } from '../domain/endpoint-id.ts'
import { emptyBody } from './empty-body.ts'
import type { LimitRegistrations } from '../use-cases/limit-registrations.ts'
import type { ListenSecrets } from '../use-cases/listen-secrets.ts'
import type { CurrentEndpoint, MerchantEndpoints } from '../use-cases/merchant-endpoints.ts'

export interface EndpointRoutesOptions {
  readonly identify: Identify
  readonly merchantEndpoints: MerchantEndpoints
  readonly limitRegistrations: LimitRegistrations
  readonly listenSecrets: Pick<ListenSecrets, 'remove'>
  readonly audited: Audited
}

/** Routes for a merchant's own webhook endpoints (design, sections 5 and 10). What changes something is audited. */
export function endpointRoutes(options: EndpointRoutesOptions): Router {
  return Router()
    .use(routesOf('payment', '/api/v1/webhooks/endpoint', options))
    .use(routesOf('refund', '/api/v1/webhooks/refund-endpoint', options))
}

function routesOf(channel: Channel, path: string, options: EndpointRoutesOptions): Router {
  const { identify, merchantEndpoints, limitRegistrations, listenSecrets, audited } = options
  const prefix = channel === 'payment' ? '' : 'refund-'

  function change<R>(
    { action, target = null }: { readonly action: string; readonly target?: string | null },
    merchantId: string,
    work: (id: EndpointId, begin: Begin) => Promise<R>,
  ): Promise<R> {
    const id = endpointIdOf({ merchant_id: merchantId, channel })
    return audited({ who: 'merchant', action: prefix + action, merchantId, target }, (begin) => work(id, begin))
  }

  return Router()
    .put(path, async (request, response) => {
      const { merchantId } = await identify(request, 'webhooks')
      const { url } = registerEndpointRequest.parse(request.body)
      // Only the origin: a path may hold a secret of the merchant.
      const action = { action: 'endpoint.register', target: new URL(url).origin }
      // Calls above the limit are not audited: a flood would fill the audit.
      const { since, signingSecret } = await limitRegistrations(merchantId, () =>
        change(action, merchantId, (id, begin) => merchantEndpoints.register(id, url, begin)),
      )
      const secret = signingSecret === undefined ? {} : { signing_secret: signingSecret }
      response.set('cache-control', 'no-store').json({ data: { ...endpointView({ url, since, disabled: null }), ...secret } })
    })
    .get(path, async (request, response) => {
      const { merchantId } = await identify(request, 'webhooks')
      response.json({ data: endpointView(await merchantEndpoints.read(endpointIdOf({ merchant_id: merchantId, channel }))) })
    })
    .post(`${path}/enable`, async (request, response) => {
      const { merchantId } = await identify(request, 'webhooks')
      emptyBody.parse(request.body ?? {})
      const enable = (id: EndpointId, begin: Begin) => merchantEndpoints.enable(id, begin)
      response.json({ data: endpointView(await change({ action: 'endpoint.enable' }, merchantId, enable)) })
    })
    .post(`${path}/rotate-secret`, async (request, response) => {
      const { merchantId } = await identify(request, 'webhooks')
      emptyBody.parse(request.body ?? {})
      const { signingSecret, previousUntil } = await change({ action: 'secret.rotate' }, merchantId, (id, begin) =>
        merchantEndpoints.rotateSecret(id, async () => {
          await begin()
          // A thief of the signing secret could read the listen secret, too.
          await listenSecrets.remove(merchantId)
        }),
      )
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
