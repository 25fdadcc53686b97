import { Router } from 'express'
import { instantOf } from '@gateway/contracts'
import type { Log } from '@gateway/service-kit'
import { DEFAULT_LIMIT, readCursor, type ReadDeliveries } from '../../deliveries/index.ts'
import type { ReplayDead, Resend } from '../../delivering/index.ts'
import { emptyBody, endpointIdIn, type ResetEndpoints } from '../../endpoints/index.ts'
import type { AuditDeliveries } from '../use-cases/audit-deliveries.ts'
import type { ListDisabledEndpoints } from '../use-cases/list-disabled-endpoints.ts'
import type { RetiredQueues } from '../use-cases/retired-queues.ts'
import {
  auditQuery,
  deadQuery,
  DEFAULT_REPLAY_RATE,
  disabledQuery,
  MAX_AUDIT_LIMIT,
  replayBody,
  replayOneBody,
  undeliveredQuery,
  undoBody,
} from './schemas.ts'
import { auditView, deliveryPage, disabledView, inspectedView, replayedView, retiredQueuesView } from './views.ts'

export interface OperatorRoutesOptions {
  readonly readDeliveries: Pick<ReadDeliveries, 'undelivered' | 'inspect'>
  readonly resend: Pick<Resend, 'dead'>
  readonly replayDead: ReplayDead
  readonly auditDeliveries: AuditDeliveries
  readonly retiredQueues: Pick<RetiredQueues, 'list' | 'remove'>
  readonly listDisabledEndpoints: ListDisabledEndpoints
  readonly resetEndpoints: ResetEndpoints
  readonly log: Log
}

/** Operators' routes, on a port of their own. The audit has each call by its path; the log also has what a call changed by its body. */
export function operatorRoutes(options: OperatorRoutesOptions): Router {
  return Router().use(deliveryRoutes(options)).use(checkRoutes(options)).use(endpointRoutes(options))
}

type DeadQuery = ReturnType<typeof deadQuery.parse>
type FilterFields = Omit<DeadQuery, 'limit' | 'cursor'>

/** Lists and inspects undelivered webhooks, and replays them. */
function deliveryRoutes({ readDeliveries, resend, replayDead, log }: OperatorRoutesOptions): Router {
  const list = async (status: 'dead' | 'retrying', { limit, cursor, ...fields }: DeadQuery) => {
    const page = { limit: Number(limit ?? DEFAULT_LIMIT), after: readCursor(cursor) }
    return deliveryPage(await readDeliveries.undelivered(status, filterOf(fields), page))
  }
  return Router()
    .get('/operator/v1/deliveries', async (request, response) => {
      const { status, ...query } = undeliveredQuery.parse({ ...request.query })
      response.json(await list(status, query))
    })
    .get('/operator/v1/deliveries/dead', async (request, response) => {
      response.json(await list('dead', deadQuery.parse({ ...request.query })))
    })
    .get('/operator/v1/deliveries/:id', async (request, response) => {
      response.json(inspectedView(await readDeliveries.inspect(request.params.id)))
    })
    .post('/operator/v1/deliveries/:id/replay', async (request, response) => {
      const { target } = replayOneBody.parse(request.body ?? {})
      const { id } = request.params
      await resend.dead(id, target)
      response.status(202).json({ data: { id } })
    })
    .post('/operator/v1/deliveries/replay', async (request, response) => {
      const { limit, rate = DEFAULT_REPLAY_RATE, target, cursor, ...fields } = replayBody.parse(request.body)
      const step = { limit, ratePerSecond: rate, target, after: readCursor(cursor) }
      const answer = replayedView(await replayDead({ ...filterOf(fields), ...step }))
      // A URL may hold a merchant's secret: the log says only whether one was given.
      const { merchant_id: merchant, from, to, reason, url } = fields
      const asked = { merchant, from, to, reason, by_url: url !== undefined, limit, rate, target }
      log.info('operator', { action: 'replay_many', ...asked, ...answer.data, complete: answer.next_cursor === null })
      response.status(202).json(answer)
    })
}

/** The audit of deliveries, and the queues of earlier schedules. */
function checkRoutes({ auditDeliveries, retiredQueues }: OperatorRoutesOptions): Router {
  return Router()
    .get('/operator/v1/audit', async (request, response) => {
      const { since, until, merchant_id: merchantId, limit, cursor: after } = auditQuery.parse({ ...request.query })
      const range = { since: instantOf(since), until: instantOf(until), merchantId, after }
      response.json(auditView(await auditDeliveries({ ...range, limit: Number(limit ?? MAX_AUDIT_LIMIT) })))
    })
    .get('/operator/v1/retired-queues', async (_request, response) => {
      response.json(retiredQueuesView(await retiredQueues.list()))
    })
    .post('/operator/v1/retired-queues/remove', async (request, response) => {
      emptyBody.parse(request.body ?? {})
      response.json(retiredQueuesView(await retiredQueues.remove()))
    })
}

/** Disabled endpoints, which only their merchants enable, and the changes of an endpoint after a theft of its merchant's credential. */
function endpointRoutes({ listDisabledEndpoints, resetEndpoints, log }: OperatorRoutesOptions): Router {
  return Router()
    .get('/operator/v1/endpoints/disabled', async (request, response) => {
      const { limit, after } = disabledQuery.parse({ ...request.query })
      const page = { limit: Number(limit ?? DEFAULT_LIMIT), after: after === undefined ? undefined : endpointIdIn(after) }
      const { disabled, next = null } = await listDisabledEndpoints(page)
      response.json({ data: { endpoints: disabled.map(disabledView) }, next_after: next })
    })
    .post('/operator/v1/endpoints/:merchantId/undo-changes', async (request, response) => {
      const { since } = undoBody.parse(request.body)
      const merchant = request.params.merchantId
      const { urls, undone } = await resetEndpoints.undoChanges(merchant, new Date(since))
      log.info('operator', { action: 'undo_endpoint_changes', merchant, since, undone })
      response.json({ data: { merchant_id: merchant, url: urls.payment, refund_url: urls.refund, undone } })
    })
    .post('/operator/v1/endpoints/:merchantId/expire-secrets', async (request, response) => {
      emptyBody.parse(request.body ?? {})
      const merchant = request.params.merchantId
      const expired = await resetEndpoints.expireSecrets(merchant)
      response.json({ data: { merchant_id: merchant, expired } })
    })
}

function filterOf({ merchant_id: merchantId, from, to, reason, url }: FilterFields) {
  return { merchantId, from: instantOf(from), to: instantOf(to), reason, url }
}
