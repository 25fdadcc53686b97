import { Option, type Command } from 'commander'
import type { Delivery, ResendTarget } from '@gateway/sdk'
import { coloured, printable } from '../io.ts'
import { instant, wholeNumber } from '../parse.ts'
import { contextOf } from '../context.ts'
import { printList } from '../print-list.ts'

const to = () =>
  new Option('--to <url>', 'its original URL, or the one registered now').choices(['original', 'current']).default('original')

export function addDeliveries(program: Command): void {
  const deliveries = program.command('deliveries').description('webhooks that were sent, and sending them again')
  deliveries
    .command('list')
    .description('newest first')
    .option('--order <id>', 'of this order only')
    .option('--limit <number>', 'how many', wholeNumber, 20)
    .action(async ({ order, limit }: { order?: string; limit: number }, command: Command) => {
      const context = contextOf(command)
      const filter = order === undefined ? {} : { order_id: order }
      const list = (pageSize: number) => context.gateway().deliveries.list({ limit: pageSize, ...filter })
      await printList(context, limit, { list, describe })
    })
  deliveries
    .command('resend <id>')
    .description('send a delivery again, with the same bytes and the same webhook-id')
    .addOption(to())
    .action(async (id: string, options: { to: ResendTarget }, command: Command) => {
      const { output, gateway } = contextOf(command)
      output.result(await gateway().deliveries.resend(id, options), `${id} is sent again`)
    })
  deliveries
    .command('recover')
    .description('send every dead delivery since a time again')
    .requiredOption(
      '--since <time>',
      'how long ago (30m, 2h, 3d), a day (2026-01-31, its beginning in IST) or a time (2026-01-31T00:00:00Z)',
      instant,
    )
    .addOption(to())
    .action(async (options: { since: Date; to: ResendTarget }, command: Command) => {
      const { output, gateway } = contextOf(command)
      const recovered = await gateway().deliveries.recover(options)
      output.result(recovered, `${recovered.count} are sent again, ${recovered.skipped} have no URL in use`)
    })
}

function describe({ id, order_id, sequence, status, url, attempts }: Delivery): string {
  const last = attempts.at(-1)
  const result = last ? `last ${last.error ?? String(last.status_code)}` : 'no attempt yet'
  return [
    id,
    order_id,
    sequence,
    coloured(status),
    `${attempts.length} attempts`,
    printable(result),
    printable(url ?? 'no URL'),
  ].join('  ')
}
