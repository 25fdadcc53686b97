import { Router } from 'express'
import { compile, INTERNAL_CALLERS, ORDER_ID_SCHEMA, requiredFields, type WebhookTimeline } from '@gateway/contracts'
import type { RequireCaller } from '@gateway/service-kit/http'
import type { ReadDeliveries } from '../use-cases/read-deliveries.ts'

const parameters = compile(requiredFields({ merchantId: { type: 'string', minLength: 1 }, orderId: ORDER_ID_SCHEMA }))

/** The webhooks of one order, for the ledger (contracts, timeline.ts). The gateway does not route it. */
export function timelineRoute(requireCaller: RequireCaller, { timeline }: Pick<ReadDeliveries, 'timeline'>): Router {
  const path = '/internal/v1/timelines/:merchantId/:orderId'
  const { timelines } = INTERNAL_CALLERS['webhook-dispatcher']
  return Router().get(path, requireCaller(timelines), async (request, response) => {
    const { merchantId, orderId } = parameters.parse(request.params)
    response.json({ events: await timeline(merchantId, orderId) } satisfies WebhookTimeline)
  })
}
