import { formatPaise, type SettlementLineView, type SettlementView } from '@gateway/contracts'
import { directionOf } from '../domain/entry.ts'
import type { MerchantLineDocument, SettlementDocument } from '../persistence/documents.ts'

/** A settlement as its merchant sees it. */
export function settlementView(document: SettlementDocument): SettlementView {
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
export function lineView(line: MerchantLineDocument): SettlementLineView {
  const { kind, reference, order_id, transaction_id, rrn, method, amount_paise, fee_paise, tax_paise, status } = line
  return {
    ...{ kind, direction: directionOf(kind), reference, order_id, transaction_id, rrn, method, currency: 'INR', status },
    ...{ amount: formatPaise(amount_paise), fee: formatPaise(fee_paise), tax: formatPaise(tax_paise) },
  }
}
