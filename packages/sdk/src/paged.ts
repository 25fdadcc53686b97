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

export function paged<Item>(read: (cursor: string | undefined) => Promise<Page<Item>>): Paged<Item> {
  return {
    page: (cursor) => read(cursor),
    async *[Symbol.asyncIterator]() {
      let cursor: string | undefined
      do {
        const { items, next_cursor } = await read(cursor)
        yield* items
        cursor = next_cursor ?? undefined
      } while (cursor !== undefined)
    },
  }
}
