import { Router } from 'express'
import { instantOf } from '@gateway/contracts'
import type { Log } from '@gateway/service-kit'
import type { AuditDeliveries } from '../use-cases/audit-deliveries.ts'
import type { RetiredQueues } from '../use-cases/retired-queues.ts'
import { auditQuery, emptyBody, MAX_AUDIT_LIMIT } from './schemas.ts'
import { auditView, retiredQueueView } from './views.ts'

export interface OperatorCheckRoutesOptions {
  readonly auditDeliveries: AuditDeliveries
  readonly retiredQueues: RetiredQueues
  readonly log: Log
}

/** Operators' routes for the audit and for the queues of earlier schedules. Each use is logged. */
export function operatorCheckRoutes({ auditDeliveries, retiredQueues, log }: OperatorCheckRoutesOptions): Router {
  const audit = (action: string, fields: Record<string, unknown>) => log.info('operator', { action, ...fields })
  return Router()
    .get('/operator/v1/audit', async (request, response) => {
      const { since, until, merchant_id: merchantId, limit, cursor: after } = auditQuery.parse({ ...request.query })
      const range = { since: instantOf(since), until: instantOf(until), merchantId, after }
      const step = await auditDeliveries({ ...range, limit: Number(limit ?? MAX_AUDIT_LIMIT) })
      audit('audit', { since, until, merchant: merchantId, ...step.counts, ...step.gapCounts, complete: step.next === undefined })
      response.json(auditView(step))
    })
    .get('/operator/v1/retired-queues', async (_request, response) => {
      const queues = await retiredQueues.list()
      audit('list_retired_queues', { count: queues.length })
      response.json({ data: { queues: queues.map(retiredQueueView) } })
    })
    .post('/operator/v1/retired-queues/remove', async (request, response) => {
      emptyBody.parse(request.body ?? {})
      const queues = await retiredQueues.remove()
      audit('remove_retired_queues', {
        cut_off: queues.filter(({ done }) => done === 'cut_off').map(({ name }) => name),
        removed: queues.filter(({ done }) => done === 'removed').map(({ name }) => name),
      })
      response.json({ data: { queues: queues.map(retiredQueueView) } })
    })
}
