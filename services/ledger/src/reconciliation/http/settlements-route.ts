import { Router } from 'express'
import {
  compile,
  listSettlementsQuery,
  settlementLinesQuery,
  SETTLEMENT_ID_SCHEMA,
  type SettlementLinesPage,
  type SettlementsPage,
} from '@gateway/contracts'
import { merchantOf, type RequireMerchant } from '@gateway/service-kit/merchant-auth'
import { lineView, settlementView } from '../use-cases/settlement-views.ts'
import type { ReadSettlements } from '../use-cases/read-settlements.ts'
import { checkRanges, cursorsOf } from '../../common/index.ts'

export interface SettlementsRouteOptions {
  readonly requireMerchant: RequireMerchant
  readonly readSettlements: ReadSettlements
}

const DEFAULT_LIMIT = 20
const POSITION = /^[\x21-\x7e]{1,300}$/u
const parameters = compile({ type: 'object', required: ['id'], properties: { id: SETTLEMENT_ID_SCHEMA } })

/** `GET /api/v1/settlements` and the lines of one. */
export function settlementsRoute({ requireMerchant, readSettlements }: SettlementsRouteOptions): Router {
  return Router()
    .get('/api/v1/settlements', requireMerchant('read'), async (request, response) => {
      const { from, to, cursor, limit } = listSettlementsQuery.parse({ ...request.query })
      checkRanges({ from, to })
      const { merchantId } = merchantOf(response)
      const cursors = cursorsOf(POSITION, 'settlements', merchantId, { from, to })
      const range = { from, to, before: cursors.read(cursor) }
      const { found, next } = await readSettlements.list(merchantId, range, Number(limit ?? DEFAULT_LIMIT))
      const settlements = found.map(settlementView)
      response.json({ data: { settlements }, next_cursor: cursors.write(next) } satisfies SettlementsPage)
    })
    .get('/api/v1/settlements/:id/lines', requireMerchant('read'), async (request, response) => {
      const { id } = parameters.parse(request.params)
      const { cursor, limit } = settlementLinesQuery.parse({ ...request.query })
      const { merchantId } = merchantOf(response)
      const cursors = cursorsOf(POSITION, 'settlement lines', merchantId, id)
      const { found, next } = await readSettlements.lines(merchantId, id, cursors.read(cursor), Number(limit ?? DEFAULT_LIMIT))
      response.json({ data: { lines: found.map(lineView) }, next_cursor: cursors.write(next) } satisfies SettlementLinesPage)
    })
}
