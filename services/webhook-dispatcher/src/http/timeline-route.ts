import { Router } from 'express'
import { compile, TRANSACTION_ID_PATTERN, type TimelinePart } from '@gateway/contracts'
import { requireBearer } from '@gateway/service-kit/http'
import type { ReadTimeline } from '../use-cases/read-timeline.ts'

const parameters = compile({
  type: 'object',
  required: ['transactionId'],
  properties: { transactionId: { type: 'string', pattern: TRANSACTION_ID_PATTERN } },
})

/** The webhooks of one transaction, for the ledger (contracts, timeline.ts). The gateway does not route it. */
export function timelineRoute(dependencies: { internalApiToken: string; readTimeline: ReadTimeline }): Router {
  const { internalApiToken, readTimeline } = dependencies
  const path = '/internal/v1/timelines/:transactionId'
  return Router().get(path, requireBearer(internalApiToken), async (request, response) => {
    const { transactionId } = parameters.parse(request.params)
    response.json({ transaction_id: transactionId, events: await readTimeline(transactionId) } satisfies TimelinePart)
  })
}
