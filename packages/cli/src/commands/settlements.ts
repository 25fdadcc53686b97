import type { Command } from 'commander'
import type { Settlement, SettlementLine, SettlementsQuery } from '@gateway/sdk'
import { contextOf } from '../context.ts'
import { day, wholeNumber } from '../parse.ts'
import { printList } from '../print-list.ts'

interface ListFlags extends Pick<SettlementsQuery, 'from' | 'to'> {
  readonly limit: number
}

export function addSettlements(program: Command): void {
  const settlements = program.command('settlements').description('what the bank has paid to you')
  settlements
    .command('list')
    .description('list settlements, newest first')
    .option('--from <day>', 'of this day or later, such as 2026-01-31', day)
    .option('--to <day>', 'of this day or earlier', day)
    .option('--limit <number>', 'how many', wholeNumber, 20)
    .action(async ({ limit, ...filter }: ListFlags, command: Command) => {
      const context = contextOf(command)
      const list = (pageSize: number) => context.gateway().settlements.list({ ...filter, limit: pageSize })
      await printList(context, limit, { list, describe })
    })
  settlements
    .command('lines <settlement>')
    .description('list the payments, refunds and reversals of a settlement')
    .option('--limit <number>', 'how many', wholeNumber, 100)
    .action(async (id: string, { limit }: Pick<ListFlags, 'limit'>, command: Command) => {
      const context = contextOf(command)
      const list = (pageSize: number) => context.gateway().settlements.lines(id, { limit: pageSize })
      await printList(context, limit, { list, describe: describeLine })
    })
}

function describe({ settled_on, id, net, lines, utr }: Settlement): string {
  return [settled_on, id, `${net} INR`, `${lines} lines`, ...(utr === null ? [] : [utr])].join('  ')
}

function describeLine({ kind, order_id, amount, direction, fee, tax, status }: SettlementLine): string {
  return [kind, order_id, `${direction === 'debit' ? '-' : ''}${amount} INR`, `fee ${fee}`, `tax ${tax}`, status].join('  ')
}
