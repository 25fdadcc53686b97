import { randomBytes } from 'node:crypto'
import type { Audited } from '@gateway/service-kit'
import type { CheckEndpointUrl } from '../clients/webhook/endpoint-check.ts'
import { endpointIdOf } from '../domain/channel.ts'
import type { EndpointUseCases } from '../http/endpoint-routes.ts'
import { makeEnableEndpoint } from '../use-cases/enable-endpoint.ts'
import { limitRecoveries } from '../use-cases/limit-recoveries.ts'
import { makeLimitRegistrations } from '../use-cases/limit-registrations.ts'
import { makeReadEndpoint } from '../use-cases/read-endpoint.ts'
import { makeRecoverDeliveries, type RecoverDeliveries } from '../use-cases/recover-deliveries.ts'
import { makeRegisterEndpoint } from '../use-cases/register-endpoint.ts'
import { makeReplayDead } from '../use-cases/replay-dead.ts'
import type { Resend } from '../use-cases/resend.ts'
import { makeRotateSecret } from '../use-cases/rotate-secret.ts'
import type { Parts } from './parts.ts'

/** The use cases behind the merchants' routes. */
export function composeMerchants(parts: Parts, refusalOf: CheckEndpointUrl) {
  const { endpoints, lists, sealer, findEndpoint, resend, now, waitUntil } = parts
  const limitRegistrations = makeLimitRegistrations(now)
  const endpoint = {
    registerEndpoint: makeRegisterEndpoint({ endpoints, sealer, refusalOf, randomBytes, now, waitUntil }),
    readEndpoint: makeReadEndpoint({ endpoints, now }),
    enableEndpoint: makeEnableEndpoint({ endpoints, now, waitUntil }),
    rotateSecret: makeRotateSecret({ endpoints, sealer, randomBytes, now, waitUntil }),
  }
  const useCases = audit(parts.audited, {
    ...endpoint,
    recoverDeliveries: makeRecoverDeliveries({
      // A new instance for each call: merchants share no rate limit. Only one call of a merchant runs.
      replayDead: (request) => makeReplayDead({ lists, resend, now, waitUntil })(request),
      findEndpoint,
      now,
    }),
    resend,
  })
  const refundEndpoint = auditEndpoint(parts.audited, refundEndpointOf(endpoint), 'refund-')
  // What is over this limit is not audited: a flood would fill the audit.
  return {
    ...useCases,
    registerEndpoint: limitRegistrations(useCases.registerEndpoint),
    refundEndpoint: { ...refundEndpoint, registerEndpoint: limitRegistrations(refundEndpoint.registerEndpoint) },
  }
}

/** The same use cases on the endpoint of refunds, which is stored beside that of payments. */
function refundEndpointOf(endpoint: EndpointUseCases): EndpointUseCases {
  const idOf = (merchantId: string): string => endpointIdOf({ merchantId, channel: 'refund' })
  return {
    registerEndpoint: (merchantId, url) => endpoint.registerEndpoint(idOf(merchantId), url),
    readEndpoint: (merchantId) => endpoint.readEndpoint(idOf(merchantId)),
    enableEndpoint: (merchantId) => endpoint.enableEndpoint(idOf(merchantId)),
    rotateSecret: (merchantId) => endpoint.rotateSecret(idOf(merchantId)),
  }
}

interface Changes extends EndpointUseCases {
  readonly recoverDeliveries: RecoverDeliveries
  readonly resend: Resend
}

/** The same use cases; those that change something are audited. */
function audit<T extends Changes>(audited: Audited, useCases: T): T {
  const { recoverDeliveries, resend } = useCases
  return {
    ...useCases,
    ...auditEndpoint(audited, useCases),
    // A call that is refused because another one runs is not audited: a flood of them would fill the audit.
    recoverDeliveries: limitRecoveries((id, part) =>
      audited(change('deliveries.recover', id, part.since.toISOString()), () => recoverDeliveries(id, part)),
    ),
    resend: {
      ...resend,
      ofMerchant: (id, deliveryId, to) =>
        audited(change('delivery.resend', id, deliveryId), () => resend.ofMerchant(id, deliveryId, to)),
    },
  }
}

/** @param prefix put before the names of the actions */
function auditEndpoint(audited: Audited, endpoint: EndpointUseCases, prefix = ''): EndpointUseCases {
  const { readEndpoint, registerEndpoint, enableEndpoint, rotateSecret } = endpoint
  return {
    readEndpoint,
    // Only the origin: a path may hold a secret of the merchant.
    registerEndpoint: (id, url) =>
      audited(change(`${prefix}endpoint.register`, id, new URL(url).origin), () => registerEndpoint(id, url)),
    enableEndpoint: (id) => audited(change(`${prefix}endpoint.enable`, id), () => enableEndpoint(id)),
    rotateSecret: (id) => audited(change(`${prefix}secret.rotate`, id), () => rotateSecret(id)),
  }
}

function change(action: string, merchantId: string, target: string | null = null) {
  return { who: 'merchant', action, merchantId, target }
}
