import type { Entry } from '../src/reconciliation/domain/entry.ts'

export const HEADER = 'kind,reference,tr,rrn,amount,fee,tax,status,settled_on,settlement_id,utr'

/** An entry of merchant M1 whose money moved at 10:00 in IST on a Monday. */
export function anEntry(reference: string, more: Partial<Entry> = {}): Entry {
  return {
    ...{
      kind: 'capture',
      reference,
      merchant_id: 'M1',
      transaction_id: `T-${reference}`,
      order_id: `ORD-${reference}`,
      rrn: null,
    },
    ...{ method: 'upi', amount_paise: 49_900, status: 'succeeded', at: new Date('2026-11-02T04:30:00Z'), version: 1, ...more },
  }
}

/** The line with which the bank settles an entry on the Wednesday after. */
export function lineOf(entry: Entry, more: Readonly<Record<string, string>> = {}): string {
  const line: Readonly<Record<string, string>> = {
    ...{ kind: entry.kind, reference: entry.reference, tr: entry.transaction_id, rrn: '', status: 'succeeded' },
    ...{ amount: (entry.amount_paise / 100).toFixed(2), fee: '1.00', tax: '0.18' },
    ...{ settled_on: '2026-11-04', settlement_id: `SET-${entry.merchant_id}`, utr: 'UTR1', ...more },
  }
  return HEADER.split(',')
    .map((column) => line[column] ?? '')
    .join(',')
}

export function fileOf(...lines: readonly string[]): string {
  return [HEADER, ...lines, ''].join('\r\n')
}
