import { formatPaise } from '@gateway/contracts'
import type { FileDocument } from '../persistence/settlement-model.ts'
import type { KnownDifference } from './manage-differences.ts'

/** A settlement file as operators see it. */
export function fileView(file: FileDocument): object {
  const { _id: id, state, bytes, lines, imported: lines_imported, settled_until, found: differences } = file
  return {
    ...{
      id,
      state: state === 'imported' ? 'imported' : lines_imported > 0 ? 'importing' : 'received',
      bytes,
      lines,
      lines_imported,
    },
    ...{ settled_until, differences, received_by: file.received_by, received_at: file.received_at.toISOString() },
    imported_at: file.imported_at?.toISOString() ?? null,
    failure: failureView(file),
  }
}

/** The latest failed attempt of an import; `null` when there is none, and once the file is imported. */
function failureView({ state, failure, attempts = 0, retry_at }: FileDocument): object | null {
  if (state === 'imported' || !failure) return null
  const { at, reason } = failure
  const next = retry_at && retry_at > at ? retry_at : at
  return { attempts, reason, at: at.toISOString(), next_attempt_at: next.toISOString() }
}

/** A difference as operators see it. */
export function differenceView({ difference: one, orderId }: KnownDifference): object {
  return {
    id: Buffer.from(one._id).toString('base64url'),
    ...{
      file: one.file,
      class: one.class,
      line: one.line,
      merchant_id: one.merchant_id,
      order_id: orderId,
      kind: one.kind,
      reference: one.reference,
    },
    ours: sideView(one.ours_paise, one.ours_status, one.ours_tr),
    bank: sideView(one.bank_paise, one.bank_status, one.bank_tr),
    ...{ column: one.column, reason: one.reason, status: one.status, note: one.note, resolved_by: one.resolved_by },
    ...{ closed_by: one.closed_by, found_at: one.found_at.toISOString(), ended_at: one.ended_at?.toISOString() ?? null },
  }
}

type Optional<T> = T | null | undefined

function sideView(paise: Optional<number>, status: Optional<string>, tr: Optional<string>): object | null {
  return typeof paise === 'number' ? { amount: formatPaise(paise), status: status ?? null, tr: tr ?? null } : null
}
