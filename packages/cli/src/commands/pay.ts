import { spawn } from 'node:child_process'
import { Option, type Command } from 'commander'
import { ConnectionError, describeNetworkError, type Order } from '@gateway/sdk'
import { CliError, EXIT } from '../exit.ts'
import { contextOf } from '../context.ts'
import { requireSandbox, type Settings } from '../profile/settings.ts'
import { findOrder } from './orders.ts'

const PAY_TIMEOUT_MS = 15_000

export function addPay(program: Command): void {
  program
    .command('pay <order>')
    .description("pay an order in the sandbox as a shopper would: with the simulator's UPI app, or on the hosted page")
    .option(
      '--vpa <vpa>',
      'the payer, which decides the outcome: success@sandbox, failure@sandbox, slow@sandbox, … (default: success@sandbox)',
    )
    .addOption(new Option('--open', 'open the hosted page in a browser').conflicts('vpa'))
    .action(async (orderId: string, { vpa = 'success@sandbox', open }: { vpa?: string; open?: boolean }, command: Command) => {
      const { output, gateway, settings } = contextOf(command)
      requireSandbox(settings)
      const { checkout, transaction } = await findOrder(gateway(), orderId)
      if (!checkout) throw new CliError(`${orderId} can no longer be paid: it is ${transaction.status}`, EXIT.negative)
      if (open === true) {
        openInBrowser(checkout.url)
        output.result({ order_id: orderId, url: checkout.url }, checkout.url)
        return
      }
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
