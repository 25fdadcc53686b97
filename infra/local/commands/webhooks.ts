import { audit } from '../webhooks/audit.ts'
import { inspect, list } from '../webhooks/list.ts'
import { receive } from '../webhooks/receive.ts'
import { replay } from '../webhooks/replay.ts'
import { retiredQueues } from '../webhooks/retired-queues.ts'
import { UserError } from '@gateway-infra/system/user-error'
import type { Command } from '@gateway-infra/system/context'
import { runCommand } from '@gateway-infra/system/run-command'

const SUBCOMMANDS: Readonly<Record<string, Command>> = { list, inspect, replay, audit, 'retired-queues': retiredQueues }

const USAGE = `npm run webhooks                                a receiver to try the gateway with: prints what arrives, until Ctrl-C
npm run webhooks -- list [dead|retrying]        [--merchant --since --until --reason --url --limit]
npm run webhooks -- inspect <delivery id>
npm run webhooks -- replay <delivery id>        [--target original|current]
npm run webhooks -- replay --all                [--merchant --since --until --reason --url --target --rate --cursor]
npm run webhooks -- audit                       [--merchant --since --until]
npm run webhooks -- retired-queues              [--remove]
They speak to the running stack, or to WEBHOOK_OPERATOR_URL with OPERATOR_TOKEN. docs/operations/webhooks.md explains them.`

/** Without arguments a webhook receiver; with a subcommand, operating webhooks. */
const webhooks: Command = (context, [name, ...args]) => {
  if (name === undefined) return receive(context, [])
  const command = SUBCOMMANDS[name]
  if (!command) throw new UserError(USAGE)
  return command(context, args)
}

await runCommand(webhooks)
