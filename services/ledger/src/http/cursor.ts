import { hash } from 'node:crypto'
import { ValidationFailed } from '@gateway/contracts'
import type { ListFilter, ListPosition } from '../domain/list-filter.ts'

const ULID = '[0-7][0-9A-HJKMNP-TV-Z]{25}'
const CURSOR = new RegExp(`^(${ULID})/(\\d{1,15}|Infinity)/([A-Za-z0-9_-]{22})$`, 'u')
const DIGEST_LENGTH = 22

/** Opaque to callers: where the page ended, and a digest of the filters that it belongs to. */
export function writeCursor({ before, widthMs }: ListPosition, filter: ListFilter): string {
  return Buffer.from(`${before}/${widthMs}/${digestOf(filter)}`).toString('base64url')
}

/** Throws `ValidationFailed` for a cursor of other filters, or text that is none. */
export function readCursor(cursor: string, filter: ListFilter): ListPosition {
  const [, before, widthMs, digest] = CURSOR.exec(Buffer.from(cursor, 'base64url').toString('utf8')) ?? []
  if (before === undefined) throw invalid('must be the next_cursor of an earlier page')
  if (digest !== digestOf(filter)) throw invalid('belongs to other filters: send the same ones as for the earlier page')
  return { before, widthMs: Number(widthMs) }
}

function digestOf(filter: ListFilter): string {
  const { merchantId, from, to, indexed, method, minPaise, maxPaise } = filter
  const { orderId, rrn, payerHash, status, refundState } = indexed
  const fields = [merchantId, from, to, orderId, rrn, payerHash, status, refundState, method, minPaise, maxPaise]
  return hash('sha256', JSON.stringify(fields.map((field) => field ?? null)), 'base64url').slice(0, DIGEST_LENGTH)
}

function invalid(message: string): ValidationFailed {
  return new ValidationFailed([{ field: '/cursor', message }])
}
