/** The fields of documents whose values a list's filter can name. */
export type ListedField = 'order_id' | 'refund_id' | 'rrn' | 'payer_hash' | 'status' | 'refund_state' | 'method'

/** The conditions of a list. A missing condition allows everything. */
export interface ListFilter {
  readonly merchantId: string
  /** Limits of the creation time: `from` is included, `to` is not. */
  readonly from?: Date | undefined
  readonly to?: Date | undefined
  readonly equal: Readonly<Partial<Record<ListedField, string | undefined>>>
  readonly minPaise?: number | undefined
  readonly maxPaise?: number | undefined
}

export interface ListPage<T> {
  /** Newest first, at most as many as were asked for. */
  readonly found: readonly T[]
  /** The next page has what is older than this position; `undefined` on the last page. */
  readonly next: string | undefined
}

/**
 * Reads the page of at most `limit` items that are older than a position; without one, the first page. Each page reads a bounded
 * number of documents, so it may be short, even empty, before the last one.
 */
export type ReadList<T> = (filter: ListFilter, before: string | undefined, limit: number) => Promise<ListPage<T>>

/** True for a document that meets every condition, except merchant and time. */
export function fits(
  document: { readonly amount_paise: number } & { readonly [Field in ListedField]?: unknown },
  { equal, minPaise = 0, maxPaise = Infinity }: Pick<ListFilter, 'equal' | 'minPaise' | 'maxPaise'>,
): boolean {
  const { amount_paise: paise, ...fields } = document
  const isEqual = (Object.keys(equal) as ListedField[]).every((name) => equal[name] === undefined || fields[name] === equal[name])
  return isEqual && paise >= minPaise && paise <= maxPaise
}
