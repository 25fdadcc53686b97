import { Option } from 'commander'
import type { Delivery, ResendTarget } from '@gateway/sdk'
import { coloured, printable } from '../io.ts'
import { instant } from '../parse.ts'
import { defined, type PgwCommand } from '../pgw-command.ts'

const to = () =>
  new Option('--to <url>', 'its original URL, or the one registered now').choices(['original', 'current']).default('original')

export function addDeliveries(program: PgwCommand): void {
  const deliveries = program.command('deliveries').description('webhooks that were sent, and sending them again')
  deliveries
    .command('list')
    .description('newest first')
    .option('--order <id>', 'of this order only')
    .lists({
      limit: 20,
      list: ({ deliveries }, { limit, order: order_id }: { limit: number; order?: string }) =>
        deliveries.list({ limit, ...defined({ order_id }) }),
      describe,
    })
  deliveries
    .command('resend <id>')
    .description('send a delivery again, with the same bytes and the same webhook-id')
    .addOption(to())
    .does(async ({ output, gateway }, id: string, options: { to: ResendTarget }) => {
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
    .does(async ({ output, gateway }, options: { since: Date; to: ResendTarget }) => {
      const recovered = await gateway().deliveries.recover(options)
      output.result(recovered, `${recovered.count} are sent again, ${recovered.skipped} have no URL in use`)
    })
}

function describe({ id, order_id, sequence, status, url, attempts }: Delivery): string {
  const last = attempts.at(-1)
  const result = printable(last ? `last ${last.error ?? String(last.status_code)}` : 'no attempt yet')
  const address = printable(url ?? 'no URL')
  return [id, order_id, sequence, coloured(status), `${attempts.length} attempts`, result, address].join('  ')
}
