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
import { readPosition, writePosition } from './cursor.ts'
import { checkRanges } from './ranges.ts'

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
      const conditions = ['settlements', merchantId, from, to]
      const before = cursor === undefined ? undefined : readPosition(cursor, POSITION, conditions)
      const { found, next } = await readSettlements.list(merchantId, { from, to, before }, Number(limit ?? DEFAULT_LIMIT))
      const next_cursor = next === undefined ? null : writePosition(next, conditions)
      response.json({ data: { settlements: found.map(settlementView) }, next_cursor } satisfies SettlementsPage)
    })
    .get('/api/v1/settlements/:id/lines', requireMerchant('read'), async (request, response) => {
      const { id } = parameters.parse(request.params)
      const { cursor, limit } = settlementLinesQuery.parse({ ...request.query })
      const { merchantId } = merchantOf(response)
      const conditions = ['settlement lines', merchantId, id]
      const after = cursor === undefined ? undefined : readPosition(cursor, POSITION, conditions)
      const { found, next } = await readSettlements.lines(merchantId, id, after, Number(limit ?? DEFAULT_LIMIT))
      const next_cursor = next === undefined ? null : writePosition(next, conditions)
      response.json({ data: { lines: found.map(lineView) }, next_cursor } satisfies SettlementLinesPage)
    })
}
