import { Option } from 'commander'
import type { Gateway, NewRefund, Refund, RefundsQuery } from '@gateway/sdk'
import { CliError, EXIT } from '../exit.ts'
import { coloured } from '../io.ts'
import { orderId } from '../parse.ts'
import { defined, type PgwCommand } from '../pgw-command.ts'

interface RefundFlags {
  readonly order: string
  readonly amount: string
  readonly refund: string
  readonly reason?: NonNullable<NewRefund['reason']>
  readonly note?: string
}

interface ListFlags extends Omit<RefundsQuery, 'order_id' | 'refund_id'> {
  readonly order?: string
  readonly refund?: string
  readonly limit: number
}

export function addRefunds(program: PgwCommand): void {
  const refunds = program.command('refunds').description('refund paid orders')
  refunds
    .command('create')
    .description('refund an order, in full or in part; a repeat of the same refund returns the same answer')
    .requiredOption('--order <id>', 'the order')
    .requiredOption('--refund <id>', 'your own id of the refund: 3 to 45 letters, digits, - or _')
    .requiredOption('--amount <rupees>', 'such as 200.00')
    .addOption(new Option('--reason <reason>').choices(['returned', 'duplicate', 'not_delivered', 'other']))
    .option('--note <text>', 'at most 50 characters')
    .does(async ({ output, gateway }, { order, amount, refund, reason, note }: RefundFlags) => {
      const ids = { order_id: order, refund_id: refund }
      const created = await gateway().refunds.create({ ...ids, amount, ...defined({ reason, note }) })
      output.result(created, describe(created))
    })
  refunds
    .command('get <id>')
    .description("show a refund by the gateway's id or by your own; exits with 1 when there is none")
    .option('--order <id>', 'the order, when several have a refund with your id', orderId)
    .does(async ({ output, gateway }, id: string, { order }: { order?: string }) => {
      const found = await findRefund(gateway(), id, order)
      output.result(found, describe(found))
    })
  refunds
    .command('list')
    .description('list refunds, newest first')
    .option('--order <id>', 'of this order', orderId)
    .option('--refund <id>', 'with this id of your own', orderId)
    .addOption(new Option('--status <status>').choices(['pending', 'succeeded', 'failed', 'returned']))
    .option('--rrn <rrn>', "with this bank's number of the refund")
    .hasPeriod()
    .lists({
      limit: 20,
      list: ({ refunds }, { order: order_id, refund: refund_id, ...query }: ListFlags) =>
        refunds.list({ ...query, ...defined({ order_id, refund_id }) }),
      describe,
    })
}

/** Throws with exit code 1 when there is no such refund, and when several orders have one. */
async function findRefund({ refunds }: Gateway, id: string, order: string | undefined): Promise<Refund> {
  const found = await refunds.find(id, defined({ order_id: order }))
  if (found) return found
  const { items } = order === undefined ? await refunds.list({ refund_id: id, limit: 2 }).page() : { items: [] }
  if (items.length > 1) throw new CliError(`Several orders have a refund ${id}: add --order`, EXIT.negative)
  const [only] = items
  if (!only) throw new CliError(`There is no refund ${id}`, EXIT.negative)
  // The list may be a moment behind.
  return (await refunds.find(only.id)) ?? only
}

function describe({ id, refund_id, order_id, amount, status, pending_reason, failure_code }: Refund): string {
  const why = pending_reason ?? failure_code
  return [id, refund_id, order_id, `${amount} INR`, coloured(status), ...(why === null ? [] : [why])].join('  ')
}
