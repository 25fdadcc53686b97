import { hash } from 'node:crypto'
import { instantOf, ValidationFailed, type FieldError } from '@gateway/contracts'

const DIGEST_LENGTH = 22
const CURSOR = /^(.*)\/([A-Za-z0-9_-]{22})$/u

/**
 * Reads and writes the cursors of one list. A cursor holds the position where a page ended, and a digest of the list's conditions.
 *
 * @param pattern the form of a position
 * @param conditions the list's name, its merchant and its filter, with keys in the same order for every page
 */
export function cursorsOf(pattern: RegExp, ...conditions: readonly unknown[]) {
  const digest = hash('sha256', JSON.stringify(conditions), 'base64url').slice(0, DIGEST_LENGTH)
  return {
    /** The position where the page before ended; `undefined` for the first page. Throws `ValidationFailed` for any other text. */
    read(cursor: string | undefined): string | undefined {
      if (cursor === undefined) return undefined
      const [, position = '', own] = CURSOR.exec(Buffer.from(cursor, 'base64url').toString('utf8')) ?? []
      if (!pattern.test(position)) throw invalid('must be the next_cursor of an earlier page')
      if (own !== digest) throw invalid('belongs to other filters: send the same ones as for the earlier page')
      return position
    },
    /** `null` on the last page. */
    write: (position: string | undefined): string | null =>
      position === undefined ? null : Buffer.from(`${position}/${digest}`).toString('base64url'),
  }
}

function invalid(message: string): ValidationFailed {
  return new ValidationFailed([{ field: '/cursor', message }])
}

/** The page of at most `limit` documents. `next` is its last one when more follow. */
export function pageOf<T>(all: readonly T[], limit: number): { readonly found: readonly T[]; readonly next: T | undefined } {
  const found = all.slice(0, limit)
  return { found, next: all.length > limit ? found.at(-1) : undefined }
}

/** The ends of the ranges that a list's query may have, in the form in which its schema has checked them. */
export interface Ranges {
  /** Days or times. */
  readonly from?: string | undefined
  readonly to?: string | undefined
  readonly minPaise?: number | undefined
  readonly maxPaise?: number | undefined
}

/** Throws `ValidationFailed` for a range that ends before it begins. A list without results would hide the caller's mistake. */
export function checkRanges({ from, to, minPaise = 0, maxPaise = Infinity }: Ranges): void {
  const errors: FieldError[] = []
  if (from !== undefined && to !== undefined && instantOf(from) > instantOf(to))
    errors.push({ field: '/from', message: 'must not be later than to' })
  if (minPaise > maxPaise) errors.push({ field: '/amount_min', message: 'must not be more than amount_max' })
  if (errors.length > 0) throw new ValidationFailed(errors)
}
