import type { Operation } from './http/operation.ts'
import type { Call, Transport } from './http/transport.ts'

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
