/**
 * `npm run chaos:packages`: makes 100 payments on a running stack with only the packed SDK and CLI, and kills gateway and dispatcher
 * meanwhile. `pgw listen` forwards a copy of every status change. The last line of output is one JSON object. Exits with 1 when a
 * change was not forwarded, was forwarded twice, or was not delivered.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Webhook as Verifier } from 'standardwebhooks'
import { pack, run } from '@gateway-tools/packages/run'
import { eventually, receiverAddressFor, startJsonServer, startWebhookReceiver, type ReceivedWebhook } from '@gateway/testkit'
import { givenStack, readAuthority } from '@gateway-infra/local/stack-file'
import { isAuthentic } from './support/merchant-site.ts'

const { STACK_FILE = '' } = process.env
const PAYMENTS = 100
/** By the number of final payments: the service that is killed then. */
const KILLS = { 20: 'api-gateway', 45: 'webhook-dispatcher', 70: 'api-gateway' } as const
const DEADLINE = { deadlineMs: 120_000, pauseMs: 100 }

/** The shop: what a merchant writes with the SDK. It prints each final order as one line of JSON. */
const SHOP = `
import { readFileSync } from 'node:fs'
import { ApiError, Gateway } from '@gateway/sdk'
const { base_url: baseUrl, merchant } = JSON.parse(readFileSync(process.env.STACK_FILE, 'utf8'))
// A killed gateway needs more time to start again than the default of three retries covers.
const gateway = new Gateway({ baseUrl, credentials: merchant, maxRetries: 12 })
const customer = { name: 'Asha Rao', email: 'asha@example.com', phone: '9876543210' }
const wait = (order_id) => gateway.orders.waitForFinal(order_id, { timeoutMs: 60_000 })
async function pay(order_id) {
  await gateway.orders.create({ order_id, amount: '499.00', customer })
  for (;;) {
    // The SDK does not repeat simulate: the answer may be lost after the simulation has begun.
    const error = await gateway.sandbox.simulate({ order_id, outcome: 'success' }).catch((reason) => reason)
    if (!(error instanceof Error) || (error instanceof ApiError && error.code === 'order_not_payable')) break
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
  const { transaction } = await wait(order_id)
  console.log(JSON.stringify({ order_id, ...transaction }))
}
const run = Date.now().toString(36)
const orders = Array.from({ length: ${PAYMENTS} }, (_, index) => 'PACK-' + run + '-' + index)
await Promise.all(Array.from({ length: 4 }, async () => { while (orders.length > 0) await pay(orders.pop()) }))
`

type Copy = Pick<ReceivedWebhook, 'headers' | 'body'>

const folder = mkdtempSync(join(tmpdir(), 'chaos-packages-'))
try {
  process.exitCode = await main()
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error))
  process.exitCode = 1
} finally {
  rmSync(folder, { recursive: true })
}

async function main(): Promise<number> {
  const stack = givenStack()
  const { webhook_url: webhookUrl } = stack.merchant
  const registered = { port: Number(new URL(webhookUrl).port), ...receiverAddressFor(webhookUrl) }
  const receiver = await startWebhookReceiver({ ca: readAuthority(stack), ...registered })
  const hook = await startJsonServer(() => ({ status: 200 }))
  const copies = (): Copy[] => hook.requests.map(({ headers, rawBody }) => ({ headers, body: rawBody }))

  const project = installPackages()
  const env = { PATH: process.env['PATH'] ?? '', HOME: folder, XDG_CONFIG_HOME: join(folder, 'config') }
  const pgw = join(project, 'node_modules/.bin/pgw')
  run(pgw, ['login', '--local'], project, { ...env, STACK_DIR: dirname(STACK_FILE) })
  const secret = run(pgw, ['listen', '--print-secret'], project, env).trim()
  const listening = spawn(pgw, ['listen', '--forward-to', `${hook.url}/hook`], {
    cwd: project,
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let noted = ''
  listening.stderr.setEncoding('utf8').on('data', (text: string) => (noted += text))
  try {
    await eventually(() => requireThat(noted.includes('listening'), `pgw listen has not begun: ${noted}`), DEADLINE)
    const orders = await payAll(project, env)
    const changes = new Set(
      orders.flatMap(({ id, sequence }) => Array.from({ length: sequence }, (_, index) => `${id}.${index + 1}`)),
    )
    const report = (): Report => reportOn(changes, copies(), new Verifier(secret), receiver.requests())
    await eventually(() => requireThat(isFlawless(report()), 'not every change has arrived'), DEADLINE).catch(() => undefined)
    const last = report()
    const succeeded = orders.filter(({ status }) => status === 'Success').length
    const killed = Object.values(KILLS)
    console.log(
      JSON.stringify({
        payments: orders.length,
        succeeded,
        killed,
        reconnected: noted.split('connected again').length - 1,
        ...last,
      }),
    )
    return isFlawless(last) && succeeded === PAYMENTS ? 0 : 1
  } finally {
    listening.kill('SIGINT')
    await Promise.all([hook.stop(), receiver.stop()])
  }
}

/** A project that has only the two tarballs. */
function installPackages(): string {
  const project = join(folder, 'project')
  mkdirSync(project)
  writeFileSync(join(project, 'package.json'), JSON.stringify({ private: true, type: 'module' }))
  const tarballs = [pack('sdk', folder), pack('cli', folder)]
  run('npm', ['install', '--offline', '--no-audit', '--no-fund', '--silent', ...tarballs], project)
  writeFileSync(join(project, 'shop.js'), SHOP)
  return project
}

interface PaidOrder {
  readonly id: string
  readonly status: string
  readonly sequence: number
}

/** Runs the shop and kills services as KILLS says. */
async function payAll(project: string, env: Readonly<Record<string, string>>): Promise<PaidOrder[]> {
  const shop = spawn(process.execPath, ['shop.js'], {
    cwd: project,
    env: { ...env, STACK_FILE },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const orders: PaidOrder[] = []
  let text = ''
  shop.stdout.setEncoding('utf8').on('data', (part: string) => {
    text += part
    const lines = text.split('\n')
    text = lines.pop() ?? ''
    for (const line of lines) {
      orders.push(JSON.parse(line) as PaidOrder)
      const victim = Object.entries(KILLS).find(([at]) => Number(at) === orders.length)?.[1]
      // A service that was killed before may still be starting; read the description again for its new process.
      if (victim) process.kill(givenStack().services[victim]?.pid ?? 0, 'SIGKILL')
    }
  })
  const [code] = (await once(shop, 'close')) as [number | null]
  requireThat(code === 0, `the shop ended with ${code}`)
  return orders
}

type Report = ReturnType<typeof reportOn>

function reportOn(changes: ReadonlySet<string>, copies: readonly Copy[], verifier: Verifier, real: readonly Copy[]) {
  const ofThese = (all: readonly Copy[]): Copy[] => all.filter(({ headers }) => changes.has(String(headers['webhook-id'])))
  const idsOf = (all: readonly Copy[]): Set<unknown> => new Set(all.map(({ headers }) => headers['webhook-id']))
  const [forwarded, delivered] = [ofThese(copies), ofThese(real)]
  return {
    changes: changes.size,
    forwarded: idsOf(forwarded).size,
    forwarded_twice: forwarded.length - idsOf(forwarded).size,
    signatures_refused: forwarded.filter((copy) => !isAuthentic(copy, verifier)).length,
    delivered: idsOf(delivered).size,
    /** Allowed: a dispatcher that is killed after the merchant's answer sends the webhook again, with the same id. */
    delivered_again: delivered.length - idsOf(delivered).size,
  }
}

function isFlawless({ changes, forwarded, forwarded_twice: twice, signatures_refused: refused, delivered }: Report): boolean {
  return forwarded === changes && delivered === changes && twice + refused === 0
}

function requireThat(fact: boolean, otherwise: string): void {
  if (!fact) throw new Error(otherwise)
}
