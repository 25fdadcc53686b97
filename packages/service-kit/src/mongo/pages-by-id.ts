import type { mongo } from 'mongoose'

/**
 * Documents in the order of their ids, `size` at a time: no cursor lives for long, and what changes meanwhile is read as it is
 * when its page comes.
 *
 * @param find the documents whose ids come after this one; all of them when there is none
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

/** The filter that `pagesById` asks for when there is no other. */
export function afterId(after: string | undefined): { _id?: { $gt: string } } {
  return after === undefined ? {} : { _id: { $gt: after } }
}
