/** `pgw certify` as a command: what it prints and writes, how it ends, and what it refuses. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { once } from 'node:events'
import { join } from 'node:path'
import { randomBytes } from 'node:crypto'
import { freePort } from '@gateway/testkit'
import { formatSigningSecret } from '@gateway/contracts'
import type { Report } from '@gateway/certify/report/report'
import { credentials, json, problem, startServer, type FakeServer } from '../fake-gateway.ts'
import { packCli, type Packed, type Run } from '../packed.ts'
import { checksWith } from './certify-shop.ts'
import { startSandbox, type Sandbox } from './sandbox.ts'
import { startShop, type Mistakes, type Shop } from './shop.ts'

let pgw: Packed
let sandbox: Sandbox
let env: Record<string, string>
const open: { stop(): Promise<void> }[] = []

beforeAll(async () => {
  pgw = await packCli()
  sandbox = await startSandbox()
  env = { PGW_BASE_URL: sandbox.url, PGW_KEY_ID: credentials.key_id, PGW_KEY_SECRET: credentials.key_secret }
})

afterAll(async () => {
  for (const one of open) await one.stop()
  await sandbox.stop()
  pgw.remove()
})

async function shopBehind(port: number, mistakes: Mistakes = {}, secret = sandbox.signingSecret): Promise<Shop> {
  const shop = await startShop({ baseUrl: `http://127.0.0.1:${port}`, credentials, secret, mistakes })
  open.push(shop)
  return shop
}

async function certifyShop(args: string[], mistakes: Mistakes = {}, more: Record<string, string> = {}): Promise<Run> {
  const port = await freePort()
  const { url } = await shopBehind(port, mistakes, more['PGW_WEBHOOK_SECRET'])
  const withProbe = args.includes('--no-probe') ? [] : ['--probe', url]
  const rest = args.filter((arg) => arg !== '--no-probe')
  return pgw.run(['certify', '--forward-to', `${url}/hook`, '--port', String(port), ...withProbe, ...rest], {
    env: { ...env, ...more },
  })
}

const reportIn = ({ stdout }: Run): Report => JSON.parse(stdout) as Report

test('chosen checks pass: 0, the report on standard output, progress on standard error, no secret in either', async () => {
  const folder = join(pgw.folder, 'reports/first')
  const run = await certifyShop(['--only', '1,2,7,16', '--json', '--report', folder])
  expect({ exitCode: run.exitCode, stderr: run.stderr }).toMatchObject({ exitCode: 0 })
  const report = reportIn(run)
  expect(checksWith(report, 'pass')).toEqual([1, 2, 7, 16])
  expect(report).toMatchObject({ certified: false, summary: { pass: 4, skipped: 14, fail: 0 } })
  expect(run.stderr).toContain('the test instance must use the base URL http://127.0.0.1:')
  expect(run.stderr).toContain(' 7  The same webhook twice')
  expect(run.stderr).toContain('4 chosen checks passed; only a run of all 18 certifies')
  expect(readdirSync(folder).toSorted()).toEqual(['certification.html', 'certification.json', 'certification.xml'])
  const files = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'))
  expect(JSON.parse(files[1] ?? '')).toEqual(report)
  const create = report.checks[15]?.transcript.filter(({ kind }) => kind === 'call') ?? []
  expect(create.map(({ note, response }) => [note, response.line])).toEqual([
    ['token 1, answer dropped by certify', 'no answer'],
    ['token 1', '200'],
  ])
  for (const text of [run.stdout, run.stderr, ...files])
    for (const hidden of [credentials.key_secret, sandbox.signingSecret, 'Asha', '9876543210', 'Bearer'])
      expect(text).not.toContain(hidden)
})

// Proves: certify/without-a-probe-nothing-passes
test('without a probe answers are judged and effects are not observed: 1', async () => {
  const run = await certifyShop(['--no-probe', '--json', '--only', '1,2,5,6,7,8,9,10,13,14,15,16,18'])
  expect(run).toMatchObject({ exitCode: 1, stderr: expect.stringMatching(/Not certified: 9 not observed\n$/u) })
  const report = reportIn(run)
  expect(checksWith(report, 'pass')).toEqual([1, 5, 6, 15])
  expect(checksWith(report, 'not_observed')).toEqual([2, 7, 8, 9, 10, 13, 14, 16, 18])
  expect(report).toMatchObject({ certified: false, probe: null })
})

test('a mistake: 1, and a line for each chosen check', async () => {
  const run = await certifyShop(['--only', '1'], { answers204: true })
  expect(run).toMatchObject({ exitCode: 1, stderr: expect.stringMatching(/Not certified: 1 failed\n$/u) })
  expect(run.stdout).toContain('fail          1  A genuine webhook')
  expect(run.stdout).toContain('It answered 204: only 200 acknowledges a webhook.')
  expect(run.stdout).not.toContain('skipped')
})

test("the receiver's own signing secret comes from PGW_WEBHOOK_SECRET", async () => {
  const own = { PGW_WEBHOOK_SECRET: formatSigningSecret(randomBytes(32)) }
  expect(await certifyShop(['--only', '1,3'], {}, own)).toMatchObject({ exitCode: 0 })
  expect(await certifyShop(['--only', '1'], {}, { PGW_WEBHOOK_SECRET: 'whsec_short' })).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('A signing secret is whsec_'),
  })
})

// Proves: certify/refuses-live-keys
test('live keys are refused before anything is sent', async () => {
  const live = { ...env, PGW_KEY_ID: credentials.key_id.replace('sandbox', 'live') }
  const before = sandbox.requestCount()
  const run = await pgw.run(['certify', '--forward-to', 'localhost:1'], { env: live })
  expect(run).toMatchObject({ exitCode: 2, stdout: '', stderr: 'pgw: This command is for the sandbox: it takes no live key\n' })
  expect(sandbox.requestCount()).toBe(before)
})

// Proves: cli/exit-codes
test.each<[string, string[], RegExp]>([
  ['no receiver', [], /required option '--forward-to <url>'/u],
  ['a receiver that is not an address', ['--forward-to', 'http://'], /--forward-to is not an address/u],
  ['a remote receiver', ['--forward-to', 'https://merchant.example/hook'], /merchant\.example is another machine/u],
  ['a remote probe', ['--forward-to', 'localhost:1', '--probe', 'merchant.example'], /merchant\.example is another machine/u],
  ['an open proxy', ['--forward-to', 'localhost:1', '--host', '0.0.0.0'], /0\.0\.0\.0 can be reached from other machines/u],
  ['an unknown check', ['--forward-to', 'localhost:1', '--only', '1,19'], /There is no check 19: use 1 to 18/u],
  ['checks that are not numbers', ['--forward-to', 'localhost:1', '--only', 'all'], /It is a whole number/u],
  ['an invalid port', ['--forward-to', 'localhost:1', '--port', '70000'], /A port is a number from 0 to 65535/u],
])('%s is a usage error', async (_what, args, sentence) => {
  const run = await pgw.run(['certify', ...args], { env })
  expect(run).toMatchObject({ exitCode: 2, stdout: '', stderr: expect.stringMatching(sentence) })
  expect(run.stderr).not.toMatch(/^\s+at /mu)
})

test('a port in use, a receiver that does not answer, a gateway that refuses: a sentence and the right code', async () => {
  const taken = await listening(createServer())
  const refusing = await startServer((_request, response) => problem(response, 401, 'token_invalid'))
  const production = await startServer((_request, response) => problem(response, 404, 'not_found'))
  open.push(refusing, production)
  const run = (args: string[], more: Record<string, string> = {}) =>
    pgw.run(['certify', '--forward-to', 'localhost:1/hook', '--port', '0', ...args], { env: { ...env, ...more } })
  const [busy, away, unknown, live] = await Promise.all([
    run(['--port', String(taken.port)]),
    run([]),
    run([], { PGW_BASE_URL: refusing.url }),
    run([], { PGW_BASE_URL: production.url }),
  ])
  taken.server.close()
  expect(busy).toMatchObject({
    exitCode: 2,
    stderr: expect.stringMatching(/cannot listen on .* \(EADDRINUSE\): choose another port/u),
  })
  expect(away).toMatchObject({
    exitCode: 5,
    stderr: expect.stringContaining('The receiver at http://localhost:1/hook does not answer'),
  })
  expect(unknown).toMatchObject({ exitCode: 3, stdout: '' })
  expect(live).toMatchObject({ exitCode: 4, stdout: '' })
})

test('a test instance that does not use the proxy, a probe with an unexpected answer, a report that cannot be written: 2', async () => {
  const around = await startShop({ baseUrl: sandbox.url, credentials, secret: sandbox.signingSecret, mistakes: {} })
  open.push(around)
  const args = ['certify', '--forward-to', `${around.url}/hook`, '--probe', around.url, '--port', '0', '--only', '1']
  expect(await pgw.run(args, { env })).toMatchObject({
    exitCode: 2,
    stderr: expect.stringMatching(/created no order through the proxy: set its base URL to http:\/\/127\.0\.0\.1:\d+/u),
  })

  const port = await freePort()
  const shop = await shopBehind(port)
  const vague = await probeThatTellsNothing(shop)
  const other = ['certify', '--forward-to', `${shop.url}/hook`, '--probe', vague.url, '--port', String(port), '--only', '1']
  expect(await pgw.run(other, { env })).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('must answer {"state": "…", "fulfilled": 0}, but it answered {"paid":true}'),
  })

  const file = join(pgw.folder, 'a-file')
  writeFileSync(file, '')
  expect(await certifyShop(['--only', '2', '--report', join(file, 'inside')])).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('The report cannot be written'),
  })
})

/** A probe that creates orders as the shop does, but answers GET /orders/:id in another form. */
async function probeThatTellsNothing(shop: Shop): Promise<FakeServer> {
  const server = await startServer(({ method, body }, response) => {
    if (method === 'GET') json(response, 200, { paid: true })
    else
      void fetch(`${shop.url}/orders`, { method: 'POST', body }).then(({ status }) => {
        response.writeHead(status).end()
      })
  })
  open.push(server)
  return server
}

async function listening(server: Server): Promise<{ server: Server; port: number }> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return { server, port: typeof address === 'object' ? (address?.port ?? 0) : 0 }
}
