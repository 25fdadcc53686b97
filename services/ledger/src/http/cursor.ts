import { hash } from 'node:crypto'
import { ValidationFailed } from '@gateway/contracts'
import type { ListFilter, ListPosition } from '../domain/list-filter.ts'

const ULID = '[0-7][0-9A-HJKMNP-TV-Z]{25}'
/** A window has a width: one without would never come to the end of the list. */
const POSITION = new RegExp(`^(${ULID})/([1-9]\\d{0,14}|Infinity)$`, 'u')
const DIGEST_LENGTH = 22
const CURSOR = /^(.*)\/([A-Za-z0-9_-]{22})$/u

/** The cursor of a list of orders. */
export function writeCursor({ before, widthMs }: ListPosition, filter: ListFilter): string {
  return writePosition(`${before}/${widthMs}`, conditionsOf(filter))
}

/** Throws `ValidationFailed` for a cursor of other filters, or text that is none. */
export function readCursor(cursor: string, filter: ListFilter): ListPosition {
  const [before = '', widthMs] = readPosition(cursor, POSITION, conditionsOf(filter)).split('/')
  return { before, widthMs: Number(widthMs) }
}

function conditionsOf({ merchantId, from, to, indexed, method, minPaise, maxPaise }: ListFilter): readonly unknown[] {
  const { orderId, rrn, payerHash, status, refundState } = indexed
  return [merchantId, from, to, orderId, rrn, payerHash, status, refundState, method, minPaise, maxPaise]
}

/** A cursor, opaque to callers: the position where the page ended, and a digest of the conditions of the list. */
export function writePosition(position: string, conditions: readonly unknown[]): string {
  return Buffer.from(`${position}/${digestOf(conditions)}`).toString('base64url')
}

/** Throws `ValidationFailed` for a cursor of other conditions, or for text that is not a cursor. */
export function readPosition(cursor: string, pattern: RegExp, conditions: readonly unknown[]): string {
  const [, position = '', digest] = CURSOR.exec(Buffer.from(cursor, 'base64url').toString('utf8')) ?? []
  if (!pattern.test(position)) throw invalid('must be the next_cursor of an earlier page')
  if (digest !== digestOf(conditions)) throw invalid('belongs to other filters: send the same ones as for the earlier page')
  return position
}

function digestOf(conditions: readonly unknown[]): string {
  return hash('sha256', JSON.stringify(conditions.map((one) => one ?? null)), 'base64url').slice(0, DIGEST_LENGTH)
}

function invalid(message: string): ValidationFailed {
  return new ValidationFailed([{ field: '/cursor', message }])
}
