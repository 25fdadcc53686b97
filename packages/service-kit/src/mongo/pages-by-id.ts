import type { mongo } from 'mongoose'

/**
 * Yields documents in the order of their ids, `size` at a time. No cursor lives long; a document that changes meanwhile is read
 * as it is when its page is fetched.
 *
 * @param find finds the documents with ids after the given one; all of them when it is undefined
 */
export async function* pagesById<T extends { readonly _id: string }>(
  size: number,
  find: (after: string | undefined) => mongo.FindCursor<T>,
): AsyncGenerator<T[]> {
  for (let after: string | undefined; ;) {
    const page = await find(after).sort({ _id: 1 }).limit(size).toArray()
    yield page
    if (page.length < size) return
    after = page.at(-1)?._id
  }
}

/** The filter for `pagesById` when the query has no other. */
export function afterId(after: string | undefined): { _id?: { $gt: string } } {
  return after === undefined ? {} : { _id: { $gt: after } }
}
