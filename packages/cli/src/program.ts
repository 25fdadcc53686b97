import { addCertify } from './commands/certify.ts'
import { addDeliveries } from './commands/deliveries.ts'
import { addEndpoint } from './commands/endpoint.ts'
import { addLogin, addWhoami } from './commands/login.ts'
import { addOrders } from './commands/orders.ts'
import { addRefunds } from './commands/refunds.ts'
import { addPay, addTrigger } from './commands/sandbox.ts'
import { addDowntimes, addReports, addSettlements, addTimeline } from './commands/show.ts'
import { addListen, addWebhooks } from './commands/webhooks.ts'
import { PgwCommand } from './pgw-command.ts'
import { VERSION } from './version.ts'

const HELP = `
Secrets come from a prompt, from standard input, or from PGW_KEY_SECRET and PGW_WEBHOOK_SECRET; never from a flag.
Also read: PGW_BASE_URL, PGW_KEY_ID, PGW_PROFILE, PGW_NETWORK_URL, NO_COLOR.
Exit codes: 0 ok, 1 negative result, 2 usage, 3 authentication, 4 refused, 5 network or 5xx, 6 wait timeout, 130 interrupted.`

export function createProgram(): PgwCommand {
  const program = new PgwCommand('pgw')
    .description('The payment gateway on the command line')
    .version(VERSION)
    .option('--profile <name>', 'the profile to use (default: "default")')
    .option('--base-url <url>', 'the address of the gateway')
    .option('--key-id <id>', 'the credential to use; its secret comes from PGW_KEY_SECRET or the profile')
    .option('--network-url <url>', "the address of the sandbox's UPI app")
    .option('--json', 'print results as JSON, one per line')
    .addHelpText('after', HELP)
    .showHelpAfterError('(pgw --help lists the commands)')
    .exitOverride()
  for (const add of [
    addLogin,
    addWhoami,
    addOrders,
    addPay,
    addTrigger,
    addListen,
    addDeliveries,
    addRefunds,
    addReports,
    addSettlements,
    addDowntimes,
    addTimeline,
    addEndpoint,
    addWebhooks,
    addCertify,
  ])
    add(program)
  return program
}
