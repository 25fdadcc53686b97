/** A run that ends early: nothing more is sent, and the process ends. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '@gateway/testkit'
import { Gateway } from '@gateway/sdk'
import { eventually } from '@gateway/testkit/eventually'
import { certify } from '@gateway/certify/certify'
import { TIMING } from '@gateway/certify/timing'
import { listen } from '../../src/listen/session.ts'
import { credentials, json, startServer, type FakeServer } from '../fake-gateway.ts'
import { startSandbox, type Sandbox } from './sandbox.ts'
import { startShop, type Shop } from './shop.ts'

const SLOW_MS = 500
const MEBIBYTE = 1024 * 1024

let sandbox: Sandbox
let receiver: FakeServer
const open: { stop(): Promise<void> }[] = []

beforeEach(async () => {
  sandbox = await startSandbox()
  receiver = await startServer((_request, response) => void setTimeout(() => response.writeHead(401).end(), SLOW_MS))
  open.push(sandbox, receiver)
})

afterEach(async () => {
  for (const one of open.splice(0)) await one.stop()
})

/** Without a probe; the receiver takes half a second for each answer. */
const certified = (only: readonly number[], eventMs: number) =>
  certify({
    gateway: new Gateway({ baseUrl: sandbox.url, credentials }),
    gatewayUrl: sandbox.url,
    listen,
    receiver: new URL(`${receiver.url}/hook?key=1`),
    probe: undefined,
    host: '127.0.0.1',
    port: 0,
    signingSecret: undefined,
    only,
    secrets: [],
    note: () => undefined,
    timing: { ...TIMING, eventMs },
  })

const sentSoFar = (): number => sandbox.requestCount() + receiver.requests.length

async function expectNothingMore(): Promise<void> {
  // A request that was on its way when the run was cancelled still arrives.
  await sleep(SLOW_MS)
  const sent = sentSoFar()
  await sleep(4 * SLOW_MS)
  expect(sentSoFar()).toBe(sent)
  // The body of one mebibyte is the last but one request of check 15.
  expect(receiver.requests.some(({ body }) => body.length > MEBIBYTE)).toBe(false)
}

// Proves: certify/ends-at-once
describe('nothing more is sent', () => {
  test('when a check throws while another one runs', async () => {
    await expect(certified([13, 15], 300)).rejects.toThrow(/The sandbox sent no event with the status Failed/u)
    expect(receiver.requests.length).toBeGreaterThan(0)
    await expectNothingMore()
  })

  test('when the gateway ends the session and refuses another one', async () => {
    const running = certified([15], 20_000)
    const refused = expect(running).rejects.toMatchObject({ status: 403, code: 'scope_missing' })
    await eventually(() => expect(receiver.requests.length).toBeGreaterThan(1))
    sandbox.refuseSessions()
    await refused
    await expectNothingMore()
  })
})

interface Ended {
  readonly exitCode: unknown
  readonly stderr: string
}

function run(args: readonly string[]): Promise<Ended> {
  const main = join(import.meta.dirname, '../../src/main.ts')
  const { key_id: PGW_KEY_ID, key_secret: PGW_KEY_SECRET } = credentials
  const env = { PATH: process.env['PATH'], HOME: '/nonexistent', PGW_BASE_URL: sandbox.url, PGW_KEY_ID, PGW_KEY_SECRET }
  return new Promise((resolve) => {
    execFile(process.execPath, [main, ...args], { env }, (error, _stdout, stderr) =>
      resolve({ exitCode: error?.code ?? 0, stderr }),
    )
  })
}

/** Creates orders as the shop does, and answers `GET /orders/:id` with control characters. */
async function rudeProbe(shop: Shop): Promise<FakeServer> {
  const probe = await startServer(({ method, body }, response) => {
    if (method === 'GET') json(response, 200, '\u009B2J')
    else
      void fetch(`${shop.url}/orders`, { method: 'POST', body }).then(
        ({ status }) => response.writeHead(status).end(),
        () => response.destroy(),
      )
  })
  open.push(probe)
  return probe
}

// Proves: certify/ends-at-once
test('an error ends the process within seconds, and its message has no control characters', async () => {
  const port = await freePort()
  const shop = await startShop({ baseUrl: `http://127.0.0.1:${port}`, credentials, secret: sandbox.signingSecret, mistakes: {} })
  open.push(shop)
  const probe = await rudeProbe(shop)
  const startedMs = performance.now()
  const args = ['--forward-to', `${shop.url}/hook`, '--probe', probe.url, '--port', String(port), '--only', '11,13,18']
  const { exitCode, stderr } = await run(['certify', ...args])
  expect({ exitCode, stderr }).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('but it answered "�2J"') })
  expect(stderr.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u)
  // Check 18 alone waits for 20 s.
  expect(performance.now() - startedMs).toBeLessThan(15_000)
})
