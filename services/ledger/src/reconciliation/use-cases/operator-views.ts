import { formatPaise } from '@gateway/contracts'
import type { Side } from '../domain/difference.ts'
import type { FileDocument } from '../persistence/documents.ts'
import type { KnownDifference } from './manage-differences.ts'

/** A settlement file as operators see it. */
export function fileView(file: FileDocument): object {
  const { _id: id, bytes, lines, imported: lines_imported, settled_until, found: differences, received_by } = file
  const state = file.state === 'imported' ? 'imported' : lines_imported > 0 ? 'importing' : 'received'
  return {
    ...{ id, state, bytes, lines, lines_imported, settled_until, differences, received_by },
    received_at: file.received_at.toISOString(),
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
export function differenceView({ difference, orderId }: KnownDifference): object {
  const { _id, file, line, merchant_id, kind, reference, ours, bank, column, reason, status, note } = difference
  return {
    id: Buffer.from(_id).toString('base64url'),
    ...{ file, class: difference.class, line, merchant_id, order_id: orderId, kind, reference },
    ...{ ours: sideView(ours), bank: sideView(bank), column, reason, status, note, resolved_by: difference.resolved_by },
    closed_by: difference.closed_by,
    found_at: difference.found_at.toISOString(),
    ended_at: difference.ended_at?.toISOString() ?? null,
  }
}

function sideView(side: Side | null): object | null {
  return side && { amount: formatPaise(side.amount_paise), status: side.status, tr: side.tr }
}
