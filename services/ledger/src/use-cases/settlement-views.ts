import { formatPaise, type SettlementLineView, type SettlementView } from '@gateway/contracts'
import { signOf } from '../domain/entry.ts'
import type { MerchantLineDocument, SettlementDocument } from '../persistence/settlement-model.ts'

/** A settlement as its merchant sees it. */
export function settlementView(document: SettlementDocument): SettlementView {
  const { settlement_id: id, settled_on, utr, lines, credit_paise, debit_paise, fee_paise, tax_paise } = document
  return {
    ...{
      id,
      settled_on,
      utr: utr ?? null,
      lines,
      currency: 'INR',
      credit: formatPaise(credit_paise),
      debit: formatPaise(debit_paise),
    },
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
  return {
    ...{ kind: line.kind, direction: signOf(line.kind) > 0 ? 'credit' : 'debit', reference: line.reference },
    ...{ order_id: line.order_id, transaction_id: line.transaction, rrn: line.rrn, method: line.method },
    ...{ amount: formatPaise(line.amount_paise), fee: formatPaise(line.fee_paise), tax: formatPaise(line.tax_paise) },
    ...{ currency: 'INR', status: line.status },
  }
}
