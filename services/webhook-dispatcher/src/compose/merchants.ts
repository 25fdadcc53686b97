import { randomBytes } from 'node:crypto'
import type { Audited } from '@gateway/service-kit'
import type { CheckEndpointUrl } from '../clients/webhook/endpoint-check.ts'
import { makeEnableEndpoint, type EnableEndpoint } from '../use-cases/enable-endpoint.ts'
import { makeReadEndpoint } from '../use-cases/read-endpoint.ts'
import { makeRecoverDeliveries, type RecoverDeliveries } from '../use-cases/recover-deliveries.ts'
import { makeRegisterEndpoint, type RegisterEndpoint } from '../use-cases/register-endpoint.ts'
import { makeReplayDead } from '../use-cases/replay-dead.ts'
import type { Resend } from '../use-cases/resend.ts'
import { makeRotateSecret, type RotateSecret } from '../use-cases/rotate-secret.ts'
import type { Parts } from './parts.ts'

/** The use cases behind the merchants' routes. */
export function composeMerchants(parts: Parts, refusalOf: CheckEndpointUrl) {
  const { endpoints, lists, sealer, findEndpoint, resend, now, waitUntil } = parts
  // An instance of its own: merchants and operators do not share a rate limit.
  const replayDead = makeReplayDead({ lists, resend, now, waitUntil })
  return audit(parts.audited, {
    registerEndpoint: makeRegisterEndpoint({ endpoints, sealer, refusalOf, randomBytes, now, waitUntil }),
    readEndpoint: makeReadEndpoint({ endpoints, now }),
    enableEndpoint: makeEnableEndpoint({ endpoints, now, waitUntil }),
    rotateSecret: makeRotateSecret({ endpoints, sealer, randomBytes, now, waitUntil }),
    recoverDeliveries: makeRecoverDeliveries({ replayDead, findEndpoint, now }),
    resend,
  })
}

interface Changes {
  readonly registerEndpoint: RegisterEndpoint
  readonly enableEndpoint: EnableEndpoint
  readonly rotateSecret: RotateSecret
  readonly recoverDeliveries: RecoverDeliveries
  readonly resend: Resend
}

/** The same use cases; those that change something are audited. */
function audit<T extends Changes>(audited: Audited, useCases: T): T {
  const { registerEndpoint, enableEndpoint, rotateSecret, recoverDeliveries, resend } = useCases
  const change = (action: string, merchantId: string, target: string | null = null) => ({
    who: 'merchant',
    action,
    merchantId,
    target,
  })
  return {
    ...useCases,
    // Only the origin: a path may hold a secret of the merchant.
    registerEndpoint: (id, url) => audited(change('endpoint.register', id, new URL(url).origin), () => registerEndpoint(id, url)),
    enableEndpoint: (id) => audited(change('endpoint.enable', id), () => enableEndpoint(id)),
    rotateSecret: (id) => audited(change('secret.rotate', id), () => rotateSecret(id)),
    recoverDeliveries: (id, part) =>
      audited(change('deliveries.recover', id, part.since.toISOString()), () => recoverDeliveries(id, part)),
    resend: {
      ...resend,
      ofMerchant: (id, deliveryId, to) =>
        audited(change('delivery.resend', id, deliveryId), () => resend.ofMerchant(id, deliveryId, to)),
    },
  }
}
