import type { Paged } from '@gateway/sdk'
import type { CommandContext } from './context.ts'
import { CliError, EXIT } from './exit.ts'

const MAX_PAGE_SIZE = 100

/** Prints the first `limit` items of a list, or a note when there are none. Requests no more items than needed. */
export async function printList<Item extends object>(
  { output }: Pick<CommandContext, 'output'>,
  limit: number,
  { list, describe }: { list: (pageSize: number) => Paged<Item>; describe: (item: Item) => string },
): Promise<void> {
  if (limit < 1) throw new CliError('--limit must be at least 1', EXIT.usage)
  let shown = 0
  for await (const item of list(Math.min(MAX_PAGE_SIZE, limit))) {
    if (shown >= limit) break
    shown += 1
    output.result(item, describe(item))
  }
  if (shown === 0) output.note('nothing found')
}
