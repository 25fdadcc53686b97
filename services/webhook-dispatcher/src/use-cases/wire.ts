import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log, Sealer } from '@gateway/service-kit'
import type { DispatcherConfig } from '../config.ts'
import type { Deliveries } from '../persistence/deliveries.ts'
import type { DeliveryLists } from '../persistence/delivery-lists.ts'
import type { Endpoints } from '../persistence/endpoints.ts'
import type { WaitingDeliveries } from '../persistence/waiting-deliveries.ts'
import type { CheckEndpointUrl } from '../sending/endpoint-check.ts'
import type { SendWebhook } from '../sending/webhook-client.ts'
import type { EndpointObserver } from './admission.ts'
import type { DeliveryObserver, WakeUps } from './attempt.ts'
import { makeEnableEndpoint } from './enable-endpoint.ts'
import { makeFindEndpoint } from './endpoint-directory.ts'
import { makeListDeliveries } from './list-deliveries.ts'
import { makeListDisabledEndpoints } from './list-disabled-endpoints.ts'
import { makeReadEndpoint } from './read-endpoint.ts'
import { makeRecoverDeliveries } from './recover-deliveries.ts'
import { makeRegisterEndpoint } from './register-endpoint.ts'
import { makeReplayDead } from './replay-dead.ts'
import { makeResend } from './resend.ts'
import { makeRotateSecret } from './rotate-secret.ts'
import { makeSweepOverdue } from './sweep-overdue.ts'
import { wireDelivering } from './wire-delivering.ts'
import { wireOperating, type OperatingParts } from './wire-operating.ts'

export interface UseCaseParts extends OperatingParts {
  readonly config: DispatcherConfig
  readonly endpoints: Endpoints
  readonly deliveries: Deliveries
  readonly lists: DeliveryLists
  readonly waiting: WaitingDeliveries
  readonly sealer: Sealer
  readonly send: SendWebhook
  readonly refusalOf: CheckEndpointUrl
  readonly wakeUps: WakeUps
  readonly canPublish: () => boolean
  readonly observerOf: (inFlight: () => number) => DeliveryObserver
  readonly endpointObserverOf: (leftAlone: () => number) => EndpointObserver
  readonly log: Log
  readonly now: () => Date
}

export type UseCases = ReturnType<typeof wireUseCases>

/** Everything that the service does, wired by hand. */
export function wireUseCases(parts: UseCaseParts) {
  const { config, endpoints, deliveries, lists, sealer, refusalOf, wakeUps, canPublish, log, now } = parts
  const findEndpoint = makeFindEndpoint({ endpoints, sealer })
  const resend = makeResend({ deliveries, findEndpoint, wakeUps, log, now })
  const waitUntil = async (instantMs: number): Promise<void> => {
    await sleep(Math.max(0, instantMs - now().getTime()))
  }
  return {
    ...wireDelivering({ ...parts, findEndpoint, random: Math.random }),
    sweepOverdue: makeSweepOverdue({ lists, wakeUps, overdueMs: config.sweepOverdueMs, canPublish, log, now }),
    registerEndpoint: makeRegisterEndpoint({ endpoints, sealer, refusalOf, randomBytes, now, waitUntil }),
    readEndpoint: makeReadEndpoint({ endpoints, now }),
    enableEndpoint: makeEnableEndpoint({ endpoints, now, waitUntil }),
    listDisabledEndpoints: makeListDisabledEndpoints(endpoints),
    rotateSecret: makeRotateSecret({ endpoints, sealer, randomBytes, now, waitUntil }),
    listDeliveries: makeListDeliveries(lists),
    resend,
    recoverDeliveries: makeRecoverDeliveries({
      replayDead: makeReplayDead({ lists, resend, now, waitUntil }),
      findEndpoint,
      now,
    }),
    ...wireOperating({ ...parts, resend, waitUntil }),
  }
}
