import { Router } from 'express'
import { compile, INTERNAL_CALLERS, requiredFields, TRANSACTION_ID_PATTERN, type TimelinePart } from '@gateway/contracts'
import type { RequireCaller } from '@gateway/service-kit/http'
import type { ReadDeliveries } from '../use-cases/read-deliveries.ts'

const parameters = compile(requiredFields({ transactionId: { type: 'string', pattern: TRANSACTION_ID_PATTERN } }))

/** The webhooks of one transaction, for the ledger (contracts, timeline.ts). The gateway does not route it. */
export function timelineRoute(requireCaller: RequireCaller, { timeline }: Pick<ReadDeliveries, 'timeline'>): Router {
  const path = '/internal/v1/timelines/:transactionId'
  const { timelines } = INTERNAL_CALLERS['webhook-dispatcher']
  return Router().get(path, requireCaller(timelines), async (request, response) => {
    const { transactionId } = parameters.parse(request.params)
    response.json({ transaction_id: transactionId, events: await timeline(transactionId) } satisfies TimelinePart)
  })
}
