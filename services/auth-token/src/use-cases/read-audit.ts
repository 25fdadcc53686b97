import { ValidationFailed, type AuditRecord } from '@gateway/contracts'
import type { AuditLog, AuditPosition, StoredAuditEntry } from '../persistence/audit-log.ts'

export type { StoredAuditEntry }

const DEFAULT_LIMIT = 50
const DAY_MS = 86_400_000

interface PageQuery {
  /** Of all merchants when left out. */
  readonly merchantId: string | undefined
  readonly from?: string
  readonly to?: string
  readonly limit?: string
  readonly cursor?: string
}

export type AuditPages = ReturnType<typeof makeAuditPages>

/**
 * The audit as merchants, operators and other services use it (design, section 5).
 *
 * @param appendRefusal keeps repeated refusals of merchants from filling the audit
 */
export function makeAuditPages(dependencies: {
  readonly auditLog: AuditLog
  readonly appendRefusal: (entry: AuditRecord) => Promise<void>
  readonly now: () => Date
}) {
  const { auditLog, appendRefusal, now } = dependencies
  return {
    /** Stores an entry with the present time. */
    append: (entry: AuditRecord): Promise<void> =>
      entry.outcome === 'refused' && entry.who === 'merchant' ? appendRefusal(entry) : auditLog.append({ ...entry, at: now() }),
    /** Newest first. Throws `ValidationFailed` for a cursor of no earlier page. */
    async readPage({ merchantId, from, to, limit, cursor }: PageQuery) {
      const size = Number(limit ?? DEFAULT_LIMIT)
      const end = to === undefined ? new Date(now().getTime() + DAY_MS) : new Date(to)
      // One entry more than requested shows whether there is a next page.
      const found = await auditLog.page({ merchantId, from: new Date(from ?? 0), to: end, after: readCursor(cursor) }, size + 1)
      const entries = found.slice(0, size)
      const last = entries.at(-1)
      return { entries, next_cursor: last && found.length > size ? writeCursor(last) : null }
    },
  }
}

/** Opaque to callers; holds only where the page ended. */
function writeCursor({ at, id }: AuditPosition): string {
  return Buffer.from(`${at.getTime()}/${id}`).toString('base64url')
}

function readCursor(cursor: string | undefined): AuditPosition | undefined {
  if (cursor === undefined) return undefined
  const [, atMs, id] = /^(\d{1,15})\/([0-9a-f]{24})$/u.exec(Buffer.from(cursor, 'base64url').toString()) ?? []
  if (atMs === undefined || id === undefined) {
    throw new ValidationFailed([{ field: '/cursor', message: 'must be the next_cursor of an earlier page' }])
  }
  return { at: new Date(Number(atMs)), id }
}
