import { randomBytes } from 'node:crypto'
import type { ResendTarget } from '@gateway/contracts'
import type { CheckEndpointUrl } from '../clients/webhook/endpoint-check.ts'
import { endpointIdOf, type Channel } from '../domain/channel.ts'
import type { EndpointUseCases } from '../http/endpoint-routes.ts'
import { makeEnableEndpoint, type EnableEndpoint } from '../use-cases/enable-endpoint.ts'
import { limitRecoveries } from '../use-cases/limit-recoveries.ts'
import { makeLimitRegistrations } from '../use-cases/limit-registrations.ts'
import { makeReadEndpoint, type ReadEndpoint } from '../use-cases/read-endpoint.ts'
import { makeRecoverDeliveries } from '../use-cases/recover-deliveries.ts'
import { makeRegisterEndpoint, type RegisterEndpoint } from '../use-cases/register-endpoint.ts'
import { makeReplayDead } from '../use-cases/replay-dead.ts'
import { makeRotateSecret, type RotateSecret } from '../use-cases/rotate-secret.ts'
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
  const recoverDeliveries = makeRecoverDeliveries({
    // Each call has an instance of its own, so merchants share no pace. Only one call of a merchant runs at a time.
    replayDead: (request, begin) =>
      makeReplayDead({ lists, resend: { dead: (id, to) => resend.dead(id, to, begin) }, now, waitUntil })(request),
    findEndpoint,
    now,
  })
  const { audited } = parts
  // Calls above this limit are not audited: a flood would fill the audit.
  const limited = (useCases: EndpointUseCases): EndpointUseCases => ({
    ...useCases,
    registerEndpoint: limitRegistrations(useCases.registerEndpoint),
  })
  return {
    ...limited(auditEndpoint(parts, endpoint, { channel: 'payment', prefix: '' })),
    refundEndpoint: limited(auditEndpoint(parts, endpoint, { channel: 'refund', prefix: 'refund-' })),
    // A call that is refused while another one runs is not audited: a flood would fill the audit.
    recoverDeliveries: limitRecoveries((id, part) =>
      audited(change('deliveries.recover', id, part.since.toISOString()), (begin) => recoverDeliveries(id, part, begin)),
    ),
    resend: {
      ...resend,
      ofMerchant: (id: string, deliveryId: string, to: ResendTarget) =>
        audited(change('delivery.resend', id, deliveryId), (begin) => resend.ofMerchant(id, deliveryId, to, begin)),
    },
  }
}

interface EndpointChanges {
  readonly registerEndpoint: RegisterEndpoint
  readonly readEndpoint: ReadEndpoint
  readonly enableEndpoint: EnableEndpoint
  readonly rotateSecret: RotateSecret
}

/**
 * The use cases on one of a merchant's two endpoints, for payments or for refunds. Those that change something are audited; `prefix`
 * goes before the names of their actions.
 */
function auditEndpoint(
  { audited, listenSecrets }: Pick<Parts, 'audited' | 'listenSecrets'>,
  { readEndpoint, registerEndpoint, enableEndpoint, rotateSecret }: EndpointChanges,
  { channel, prefix }: { readonly channel: Channel; readonly prefix: string },
): EndpointUseCases {
  const idOf = (merchantId: string): string => endpointIdOf({ merchantId, channel })
  return {
    readEndpoint: (id) => readEndpoint(idOf(id)),
    // Only the origin: a path may hold a secret of the merchant.
    registerEndpoint: (id, url) =>
      audited(change(`${prefix}endpoint.register`, id, new URL(url).origin), (begin) => registerEndpoint(idOf(id), url, begin)),
    enableEndpoint: (id) => audited(change(`${prefix}endpoint.enable`, id), (begin) => enableEndpoint(idOf(id), begin)),
    rotateSecret: (id) =>
      audited(change(`${prefix}secret.rotate`, id), (begin) =>
        rotateSecret(idOf(id), async () => {
          await begin()
          // A thief of the signing secret could read the listen secret, too.
          await listenSecrets.remove(id)
        }),
      ),
  }
}

function change(action: string, merchantId: string, target: string | null = null) {
  return { who: 'merchant', action, merchantId, target }
}
