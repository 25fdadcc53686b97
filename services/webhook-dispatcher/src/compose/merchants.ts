import { randomBytes } from 'node:crypto'
import type { CheckEndpointUrl } from '../clients/webhook/endpoint-check.ts'
import { makeEnableEndpoint } from '../use-cases/enable-endpoint.ts'
import { makeReadEndpoint } from '../use-cases/read-endpoint.ts'
import { makeRecoverDeliveries } from '../use-cases/recover-deliveries.ts'
import { makeRegisterEndpoint } from '../use-cases/register-endpoint.ts'
import { makeReplayDead } from '../use-cases/replay-dead.ts'
import { makeRotateSecret } from '../use-cases/rotate-secret.ts'
import type { Parts } from './parts.ts'

/** The use cases behind the merchants' routes. */
export function composeMerchants(parts: Parts, refusalOf: CheckEndpointUrl) {
  const { endpoints, lists, sealer, findEndpoint, resend, now, waitUntil } = parts
  // An instance of its own: merchants and operators do not share a rate limit.
  const replayDead = makeReplayDead({ lists, resend, now, waitUntil })
  return {
    registerEndpoint: makeRegisterEndpoint({ endpoints, sealer, refusalOf, randomBytes, now, waitUntil }),
    readEndpoint: makeReadEndpoint({ endpoints, now }),
    enableEndpoint: makeEnableEndpoint({ endpoints, now, waitUntil }),
    rotateSecret: makeRotateSecret({ endpoints, sealer, randomBytes, now, waitUntil }),
    recoverDeliveries: makeRecoverDeliveries({ replayDead, findEndpoint, now }),
  }
}
