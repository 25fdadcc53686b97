/** `operate.ts <command> …`: operators' commands on webhooks, through the dispatcher's operator API (docs/operations/webhooks.md). */
import { constants } from 'node:os'
import { operatorApi, UserError, type Command } from './operating/api.ts'
import { audit, retiredQueues } from './operating/checks.ts'
import { inspect, list, replay } from './operating/deliveries.ts'

const COMMANDS: Readonly<Record<string, Command>> = { list, inspect, replay, audit, 'retired-queues': retiredQueues }

const USAGE = `npm run webhooks                                a receiver to try the gateway with: prints what arrives, until Ctrl-C
npm run webhooks -- list [dead|retrying]        [--merchant --since --until --reason --url --limit]
npm run webhooks -- inspect <delivery id>
npm run webhooks -- replay <delivery id>        [--target original|current]
npm run webhooks -- replay --all                [--merchant --since --until --reason --url --target --rate --cursor]
npm run webhooks -- audit                       [--merchant --since --until]
npm run webhooks -- retired-queues              [--remove]
In a container: node scripts/operate.ts list, and so on.
They speak to the running stack, or to WEBHOOK_OPERATOR_URL with OPERATOR_TOKEN. docs/operations/webhooks.md explains them.`

const controller = new AbortController()
// More than once: a terminal sends a signal to this program and to the one that started it, which forwards it.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => controller.abort(signal))

const code = await run(process.argv.slice(2)).catch((error: unknown) => {
  // As shells report a program that a signal has ended.
  if (controller.signal.aborted) return 128 + constants.signals[controller.signal.reason as NodeJS.Signals]
  const shown = error instanceof UserError ? error.message : error instanceof Error ? error.stack : String(error)
  process.stderr.write(`${shown}\n`)
  return 1
})
// Idle connections would keep the process running. Output to a pipe is asynchronous.
process.stdout.write('', () => process.exit(code))

async function run([name = '', ...args]: readonly string[]): Promise<number> {
  const command = COMMANDS[name]
  if (!command) throw new UserError(USAGE)
  const stopping = controller.signal
  const say = (line: string): unknown => process.stdout.write(`${line}\n`)
  return command(args, { api: () => operatorApi(process.env, stopping), stopping, say })
}
