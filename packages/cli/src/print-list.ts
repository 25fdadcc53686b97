import type { Paged } from '@gateway/sdk'
import type { CommandContext } from './context.ts'

const MAX_PAGE_SIZE = 100

/** Prints the first `limit` items of a list. Requests no more items than needed. */
export async function printList<Item extends object>(
  { output }: Pick<CommandContext, 'output'>,
  limit: number,
  { list, describe }: { list: (pageSize: number) => Paged<Item>; describe: (item: Item) => string },
): Promise<void> {
  let shown = 0
  for await (const item of list(Math.max(1, Math.min(MAX_PAGE_SIZE, limit)))) {
    if (shown >= limit) break
    shown += 1
    output.result(item, describe(item))
  }
}
