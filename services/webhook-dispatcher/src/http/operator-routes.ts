import { Router, type RequestHandler } from 'express'
import type { Log } from '@gateway/service-kit'
import type { InspectDelivery } from '../use-cases/inspect-delivery.ts'
import type { ListDeliveries } from '../use-cases/list-deliveries.ts'
import type { ReplayDead } from '../use-cases/replay-dead.ts'
import type { Resend } from '../use-cases/resend.ts'
import { DEFAULT_LIMIT, deadQuery, emptyBody, replayBody } from './schemas.ts'
import { operatorDeliveryView, pageView, readCursor } from './views.ts'

export interface OperatorRoutesOptions {
  readonly requireOperator: RequestHandler
  readonly listDeliveries: ListDeliveries
  readonly inspectDelivery: InspectDelivery
  readonly resend: Resend
  readonly replayDead: ReplayDead
  readonly log: Log
}

/** For the people who run the service, on a port of its own: look at dead deliveries and replay them. Each use is logged. */
export function operatorRoutes(options: OperatorRoutesOptions): Router {
  const { requireOperator, listDeliveries, inspectDelivery, resend, replayDead, log } = options
  const audit = (action: string, fields: Record<string, unknown>) => log.info('operator', { action, ...fields })
  return Router()
    .use('/operator/v1', requireOperator)
    .get('/operator/v1/deliveries/dead', async (request, response) => {
      const { merchant_id: merchantId, limit, cursor } = deadQuery.parse({ ...request.query })
      const page = { limit: Number(limit ?? DEFAULT_LIMIT), after: readCursor(cursor) }
      const dead = await listDeliveries.dead({ merchantId }, page)
      audit('list_dead', { merchant: merchantId, count: dead.deliveries.length })
      response.json(pageView(dead, operatorDeliveryView))
    })
    .get('/operator/v1/deliveries/:id', async (request, response) => {
      const delivery = await inspectDelivery(request.params.id)
      audit('inspect', { delivery: delivery.id })
      response.json({ data: { delivery: { ...operatorDeliveryView(delivery), body: delivery.body } } })
    })
    .post('/operator/v1/deliveries/:id/replay', async (request, response) => {
      emptyBody.parse(request.body ?? {})
      const { id } = request.params
      await resend.dead(id)
      audit('replay', { delivery: id })
      response.status(202).json({ data: { id } })
    })
    .post('/operator/v1/deliveries/replay', async (request, response) => {
      const { merchant_id: merchantId, from, to, limit } = replayBody.parse(request.body)
      const filter = { merchantId, from: dateOf(from), to: dateOf(to) }
      const result = await replayDead(filter, limit)
      audit('replay_many', { merchant: merchantId, from, to, limit, ...result })
      response.status(202).json({ data: result })
    })
}

function dateOf(text: string | undefined): Date | undefined {
  return text === undefined ? undefined : new Date(text)
}
