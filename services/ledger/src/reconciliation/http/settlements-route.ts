import { Router } from 'express'
import {
  compile,
  formatPaise,
  listSettlementsQuery,
  settlementLinesQuery,
  SETTLEMENT_ID_SCHEMA,
  type SettlementLinesPage,
  type SettlementLineView,
  type SettlementsPage,
  type SettlementView,
} from '@gateway/contracts'
import type { Identify } from '@gateway/service-kit/merchant-auth'
import { checkRanges, cursorsOf } from '../../common/index.ts'
import { directionOf } from '../domain/entry.ts'
import type { MerchantLineDocument, ReadSettlements, SettlementDocument } from '../use-cases/read-settlements.ts'

const DEFAULT_LIMIT = 20
const POSITION = /^[\x21-\x7e]{1,300}$/u
const parameters = compile({ type: 'object', required: ['id'], properties: { id: SETTLEMENT_ID_SCHEMA } })

/** `GET /api/v1/settlements` and the lines of one. */
export function settlementsRoute(identify: Identify, readSettlements: ReadSettlements): Router {
  return Router()
    .get('/api/v1/settlements', async (request, response) => {
      const { merchantId } = await identify(request, 'read')
      const { from, to, cursor, limit } = listSettlementsQuery.parse({ ...request.query })
      checkRanges({ from, to })
      const cursors = cursorsOf(POSITION, 'settlements', merchantId, { from, to })
      const range = { from, to, before: cursors.read(cursor) }
      const { found, next } = await readSettlements.list(merchantId, range, Number(limit ?? DEFAULT_LIMIT))
      const settlements = found.map(settlementView)
      response.json({ data: { settlements }, next_cursor: cursors.write(next?._id) } satisfies SettlementsPage)
    })
    .get('/api/v1/settlements/:id/lines', async (request, response) => {
      const { merchantId } = await identify(request, 'read')
      const { id } = parameters.parse(request.params)
      const { cursor, limit } = settlementLinesQuery.parse({ ...request.query })
      const cursors = cursorsOf(POSITION, 'settlement lines', merchantId, id)
      const { found, next } = await readSettlements.lines(merchantId, id, cursors.read(cursor), Number(limit ?? DEFAULT_LIMIT))
      response.json({ data: { lines: found.map(lineView) }, next_cursor: cursors.write(next?._id) } satisfies SettlementLinesPage)
    })
}

/** A settlement as its merchant sees it. */
function settlementView(document: SettlementDocument): SettlementView {
  const { settlement_id: id, settled_on, utr, lines, credit_paise, debit_paise, fee_paise, tax_paise } = document
  return {
    ...{ id, settled_on, utr, lines, currency: 'INR', credit: formatPaise(credit_paise), debit: formatPaise(debit_paise) },
    ...{ fee: formatPaise(fee_paise), tax: formatPaise(tax_paise) },
    net: formatNet(credit_paise - debit_paise - fee_paise - tax_paise),
  }
}

/** Negative when the bank took more from the merchant than it paid. */
function formatNet(paise: number): string {
  return paise < 0 ? `-${formatPaise(-paise)}` : formatPaise(paise)
}

/** A line of a settlement as its merchant sees it. */
function lineView({ _id, amount_paise, fee_paise, tax_paise, ...line }: MerchantLineDocument): SettlementLineView {
  const amounts = { amount: formatPaise(amount_paise), fee: formatPaise(fee_paise), tax: formatPaise(tax_paise) }
  return { ...line, direction: directionOf(line.kind), ...amounts, currency: 'INR' }
}
