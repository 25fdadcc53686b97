import { Router } from 'express'
import { instantOf } from '@gateway/contracts'
import type { Log } from '@gateway/service-kit'
import type { InspectDelivery } from '../use-cases/inspect-delivery.ts'
import type { ListDeliveries } from '../use-cases/list-deliveries.ts'
import type { ReplayDead } from '../use-cases/replay-dead.ts'
import type { Resend } from '../use-cases/resend.ts'
import { DEFAULT_LIMIT, DEFAULT_REPLAY_RATE, deadQuery, replayBody, replayOneBody, undeliveredQuery } from './schemas.ts'
import { inspectedView, operatorDeliveryView, pageView, readCursor, writeCursor } from './views.ts'

export interface OperatorRoutesOptions {
  readonly listDeliveries: ListDeliveries
  readonly inspectDelivery: InspectDelivery
  readonly resend: Pick<Resend, 'dead'>
  readonly replayDead: ReplayDead
  readonly log: Log
}

interface FilterFields {
  readonly merchant_id?: string
  readonly from?: string
  readonly to?: string
  readonly reason?: string
  readonly url?: string
}

/** Operators' routes, on a port of their own: list and inspect undelivered webhooks, and replay them. Each use is logged. */
export function operatorRoutes(options: OperatorRoutesOptions): Router {
  const { listDeliveries, inspectDelivery, resend, replayDead, log } = options
  const audit = (action: string, fields: Record<string, unknown>) => log.info('operator', { action, ...fields })
  const list = async (
    status: 'dead' | 'retrying',
    { limit, cursor, ...fields }: FilterFields & { limit?: string; cursor?: string },
  ) => {
    const page = { limit: Number(limit ?? DEFAULT_LIMIT), after: readCursor(cursor) }
    const found = await listDeliveries.undelivered(status, filterOf(fields), page)
    audit(`list_${status}`, { ...loggable(fields), count: found.deliveries.length })
    return pageView(found, operatorDeliveryView)
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
      const delivery = await inspectDelivery(request.params.id)
      audit('inspect', { delivery: delivery.id })
      response.json({ data: { delivery: inspectedView(delivery) } })
    })
    .post('/operator/v1/deliveries/:id/replay', async (request, response) => {
      const { target } = replayOneBody.parse(request.body ?? {})
      const { id } = request.params
      await resend.dead(id, target)
      audit('replay', { delivery: id, target })
      response.status(202).json({ data: { id } })
    })
    .post('/operator/v1/deliveries/replay', async (request, response) => {
      const { limit, rate: ratePerSecond = DEFAULT_REPLAY_RATE, target, cursor, ...fields } = replayBody.parse(request.body)
      const step = { limit, ratePerSecond, target, after: readCursor(cursor) }
      const { replayed, skipped, next } = await replayDead({ ...filterOf(fields), ...step })
      audit('replay_many', { ...loggable(fields), limit, rate: ratePerSecond, target, replayed, skipped, complete: !next })
      response.status(202).json({ data: { replayed, skipped }, next_cursor: next ? writeCursor(next) : null })
    })
}

function filterOf({ merchant_id: merchantId, from, to, reason, url }: FilterFields) {
  return { merchantId, from: instantOf(from), to: instantOf(to), reason, url }
}

/** A URL may hold a merchant's secret: the log says only whether one was given. */
function loggable({ merchant_id: merchant, from, to, reason, url }: FilterFields) {
  return { merchant, from, to, reason, by_url: url !== undefined }
}
