import { ApiError } from '../errors.ts'
import type { ProblemCode } from '../generated/types.ts'
import type { Call, Operation, Transport } from '../http/transport.ts'

/** The `data` of an answer. */
export async function dataOf<T>(send: Transport, operation: Operation, call?: Call): Promise<T> {
  const { body } = await send(operation, call)
  return (body as { readonly data: T }).data
}

/** Resolves to `undefined` when the gateway answers with this code, such as `order_not_found`. */
export async function unlessMissing<T>(code: ProblemCode, find: () => Promise<T>): Promise<T | undefined> {
  try {
    return await find()
  } catch (error) {
    if (error instanceof ApiError && error.code === code) return undefined
    throw error
  }
}

/** One page of a list. */
export interface Page<Item> {
  readonly items: readonly Item[]
  /** Pass it to `page` for the next page; `null` after the last one. */
  readonly next_cursor: string | null
}

/** A list that the gateway answers in pages: iterate over all of it, or take page by page. */
export interface Paged<Item> extends AsyncIterable<Item> {
  /** The first page, or the page that follows a cursor. */
  page(cursor?: string): Promise<Page<Item>>
}

/** The pages of an operation that answers `{ data: { [name]: items }, next_cursor }`. */
export function paged<Item>(send: Transport, operation: Operation, name: string, { query, ...call }: Call = {}): Paged<Item> {
  const page = async (cursor?: string): Promise<Page<Item>> => {
    const { body } = await send(operation, { ...call, query: { ...query, cursor } })
    const { data, next_cursor } = body as { data: Readonly<Record<string, Item[]>>; next_cursor: string | null }
    return { items: data[name] ?? [], next_cursor }
  }
  return {
    page,
    async *[Symbol.asyncIterator]() {
      let cursor: string | undefined
      do {
        const { items, next_cursor } = await page(cursor)
        yield* items
        cursor = next_cursor ?? undefined
      } while (cursor !== undefined)
    },
  }
}
