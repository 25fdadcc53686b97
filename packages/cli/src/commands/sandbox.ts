/** Commands for the sandbox: paying as a shopper, and choosing how a payment ends. */
import { spawn } from 'node:child_process'
import { Argument, Option } from 'commander'
import { ConnectionError, describeNetworkError, type Order, type SimulatedOutcome, type SimulateOptions } from '@gateway/sdk'
import { CliError, EXIT } from '../exit.ts'
import { duration } from '../parse.ts'
import { defined, type PgwCommand } from '../pgw-command.ts'
import { requireSandbox, type Settings } from '../profile/settings.ts'
import { DEFAULT_AMOUNT, findOrder, newOrder, waitForOrder } from './orders.ts'

const PAY_TIMEOUT_MS = 15_000

export function addPay(program: PgwCommand): void {
  program
    .command('pay <order>')
    .description("pay an order in the sandbox as a shopper would: with the simulator's UPI app, or on the hosted page")
    .option(
      '--vpa <vpa>',
      'the payer, which decides the outcome: success@sandbox, failure@sandbox, slow@sandbox, … (default: success@sandbox)',
    )
    .addOption(new Option('--open', 'open the hosted page in a browser').conflicts('vpa'))
    .does(async ({ output, gateway, settings }, orderId: string, flags: { vpa?: string; open?: boolean }) => {
      requireSandbox(settings)
      const { checkout, transaction } = await findOrder(gateway(), orderId)
      if (!checkout) throw new CliError(`${orderId} can no longer be paid: it is ${transaction.status}`, EXIT.negative)
      if (flags.open === true) {
        openInBrowser(checkout.url)
        output.result({ order_id: orderId, url: checkout.url }, checkout.url)
        return
      }
      const { vpa = 'success@sandbox' } = flags
      const paid = await payByUpi(checkout, vpa, settings)
      output.result({ order_id: orderId, vpa, ...paid }, `${vpa} pays ${orderId}`)
    })
}

async function payByUpi({ intent }: NonNullable<Order['checkout']>, vpa: string, { networkUrl }: Settings): Promise<object> {
  if (intent === '') throw new CliError('The order does not take UPI: use --open', EXIT.negative)
  if (!networkUrl) throw new CliError("The address of the sandbox's UPI app is unknown: use --open, or set PGW_NETWORK_URL")
  const response = await fetch(new URL('/sandbox/upi/pay', networkUrl.value), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ intent, vpa }),
    signal: AbortSignal.timeout(PAY_TIMEOUT_MS),
  }).catch((cause: unknown) => {
    const message = `The sandbox's UPI app at ${networkUrl.value} could not be reached: ${describeNetworkError(cause)}`
    throw new ConnectionError(message, { outcomeUnknown: true, cause })
  })
  const body: unknown = await response.json().catch(() => undefined)
  const answer = typeof body === 'object' && body !== null ? body : {}
  if (response.ok) return answer
  const detail = 'detail' in answer ? String(answer.detail) : `status ${response.status}`
  throw new CliError(`The UPI app was refused: ${detail}`, response.status < 500 ? EXIT.refused : EXIT.unavailable)
}

const OPENERS: Partial<Record<NodeJS.Platform, string>> = { darwin: 'open', win32: 'explorer' }

/** Without a browser the printed address is enough. */
function openInBrowser(url: string): void {
  if (!/^https?:$/u.test(new URL(url).protocol)) throw new CliError(`The page has no web address: ${url}`)
  const browser = spawn(OPENERS[process.platform] ?? 'xdg-open', [url], { detached: true, stdio: 'ignore' })
  browser.on('error', () => undefined)
  browser.unref()
}

const OUTCOMES = [
  'success',
  'failure',
  'pending',
  'expire',
  'late_success',
  'amount_mismatch',
  'network_timeout',
] as const satisfies readonly SimulatedOutcome[]

interface TriggerFlags {
  readonly order?: string
  readonly amount: string
  readonly method?: NonNullable<SimulateOptions['method']>
  readonly delay?: number
  readonly wait?: boolean
  readonly timeout: number
}

export function addTrigger(program: PgwCommand): void {
  program
    .command('trigger')
    .description('make a payment end in a chosen way, in the sandbox; the webhooks come as for a real payment')
    .addArgument(new Argument('<outcome>', 'how the payment ends').choices(OUTCOMES))
    .option('--order <id>', 'an order that exists (default: a new one)')
    .option('--amount <rupees>', 'of the new order', DEFAULT_AMOUNT)
    .addOption(new Option('--method <method>').choices(['upi', 'credit_card', 'debit_card', 'netbanking']))
    .option('--delay <duration>', 'until the outcome, at most 60s', duration)
    .option('--wait', 'wait until the payment has ended; 6 when it has not in time')
    .option('--timeout <duration>', 'how long --wait waits', duration, duration('20m'))
    .does(async (context, outcome: SimulatedOutcome, flags: TriggerFlags) => {
      requireSandbox(context.settings)
      const gateway = context.gateway()
      const order = flags.order ?? (await gateway.orders.create(newOrder({ amount: flags.amount }, false))).order.order_id
      const { method, delay: delay_ms } = flags
      const simulation = await gateway.sandbox.simulate({ order_id: order, outcome, ...defined({ method, delay_ms }) })
      if (flags.wait === true) await waitForOrder(context, order, flags.timeout)
      else context.output.result(simulation, `${outcome} for ${order}`)
    })
}
