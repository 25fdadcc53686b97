import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { randomBytes } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { formatSigningSecret } from '@gateway/contracts'
import { eventually } from '@gateway/testkit/eventually'
import { VERSION } from '../src/version.ts'
import { answerTo, DOWNTIMES, searched } from './answers.ts'
import { credentials, json, startServer, type FakeServer } from './fake-gateway.ts'
import { packCli, type Packed } from './packed.ts'

let pgw: Packed
let server: FakeServer
let env: Record<string, string>

beforeAll(async () => {
  pgw = await packCli()
  server = await startServer(({ path, body }, response) => {
    const { order_id: id = '' } = (body === '' ? {} : JSON.parse(body)) as { order_id?: string }
    json(response, ...answerTo(path, id))
  })
  env = { PGW_BASE_URL: server.url, PGW_KEY_ID: credentials.key_id, PGW_KEY_SECRET: credentials.key_secret }
})

afterAll(async () => {
  await server.stop()
  pgw.remove()
})

test('the packed binary has the version of its package', async () => {
  const manifest: unknown = JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8'))
  expect(manifest).toMatchObject({ version: VERSION })
  expect(await pgw.run(['--version'])).toEqual({ exitCode: 0, stdout: `${VERSION}\n`, stderr: '' })
})

// Proves: cli/exit-codes
test.each<[number, string, string[]]>([
  [0, 'an order', ['orders', 'get', 'ORD-1']],
  [0, 'help', ['--help']],
  [0, 'a payment that succeeded', ['orders', 'wait', 'ORD-1']],
  [1, 'no such order', ['orders', 'get', 'NONE']],
  [1, 'a payment that failed', ['orders', 'wait', 'FAILED']],
  [1, 'an order that can no longer be paid', ['pay', 'ORD-1']],
  [1, 'no endpoint', ['endpoint', 'get']],
  [1, 'no endpoint of refunds', ['refund-endpoint', 'get']],
  [1, 'an endpoint that does not answer 200', ['endpoint', 'test']],
  [2, 'an unknown command', ['charge']],
  [2, 'a missing argument', ['orders', 'get']],
  [2, 'an unknown option', ['orders', 'get', 'ORD-1', '--key-secret', 'x']],
  [2, 'an unknown outcome', ['trigger', 'win']],
  [2, 'a duration without a unit', ['orders', 'wait', 'ORD-1', '--timeout', '10']],
  [2, 'a time that is none', ['deliveries', 'recover', '--since', 'yesterday']],
  [2, 'a day that is not in the calendar', ['deliveries', 'recover', '--since', '2026-02-30']],
  [2, 'a number as a time', ['listen', '--since', '1']],
  [2, 'a report of no day', ['reports', 'daily', '2026-02-30']],
  [2, 'settlements of no day', ['settlements', 'list', '--from', '2026-02-30']],
  [2, 'a gateway over http on another machine', ['orders', 'get', 'ORD-1', '--base-url', 'http://gateway.example']],
  [2, 'a list of no items', ['orders', 'list', '--limit', '0']],
  [2, 'a remote receiver', ['listen', '--forward-to', 'https://merchant.example']],
  [2, 'a bad profile name', ['whoami', '--profile', '../other']],
  [2, 'an address that is none', ['orders', 'get', 'ORD-1', '--base-url', 'nowhere']],
  [3, 'a credential that is not accepted', ['orders', 'get', 'EXPIRED']],
  [4, 'a refusal', ['orders', 'create', '--order', 'CONFLICT']],
  [5, 'a service that is away', ['orders', 'get', 'DOWN']],
  [5, 'a gateway that is not there', ['orders', 'get', 'ORD-1', '--base-url', 'http://127.0.0.1:1']],
  [6, 'a wait that is over', ['orders', 'wait', 'OPEN', '--timeout', '10ms']],
])('exit code %i: %s', async (exitCode, _what, args) => {
  const run = await pgw.run(args, { env })
  expect(run.exitCode).toBe(exitCode)
  if (exitCode !== 0) expect(run.stderr).toMatch(/^(?:pgw|error): \S|is Pending|is Failed/u)
  expect(run.stdout + run.stderr).not.toMatch(/^\s+at /mu)
  expect(run.stdout + run.stderr).not.toContain(credentials.key_secret)
})

// Proves: cli/data-on-stdout-progress-on-stderr
test('data is on stdout, progress on stderr; --json is one object a line; no colours where there is no terminal', async () => {
  const waited = await pgw.run(['orders', 'wait', 'ORD-1', '--json'], { env })
  expect(JSON.parse(waited.stdout)).toMatchObject({ order: { order_id: 'ORD-1' }, transaction: { status: 'Success' } })
  expect(waited.stderr).toBe('ORD-1 is Success\n')
  const listed = await pgw.run(['--json', 'deliveries', 'list', '--limit', '150'], { env })
  const lines = listed.stdout.trimEnd().split('\n')
  expect(lines.map((line) => (JSON.parse(line) as { id: string }).id).slice(0, 2)).toEqual(['D0', 'D1'])
  expect(lines).toHaveLength(150)
  const text = await pgw.run(['orders', 'get', 'ORD-1'], { env })
  expect(text.stdout).toContain('status       Success')
  expect(text.stdout).not.toContain('\u001B')
  expect(text.stdout).not.toContain('refunded')
})

test('orders get shows what was refunded, and what can still be refunded', async () => {
  const { stdout } = await pgw.run(['orders', 'get', 'REFUNDED'], { env })
  expect(stdout).toContain('refunded     0.00 INR, 497.00 INR can still be refunded\n')
})

// Proves: cli/profiles-are-private
test('login keeps the secret from standard input, with private modes from the start, whatever the umask', async () => {
  const config = join(pgw.folder, 'login')
  const own = { XDG_CONFIG_HOME: config, PGW_BASE_URL: server.url }
  const before = process.umask(0)
  const run = await pgw.run(['login', '--key-id', credentials.key_id], { env: own, input: `${credentials.key_secret}\n` })
  process.umask(before)
  expect(run).toMatchObject({ exitCode: 0, stderr: '' })
  expect(run.stdout).not.toContain(credentials.key_secret)
  const file = join(config, 'pgw/default.json')
  expect(statSync(join(config, 'pgw')).mode & 0o777).toBe(0o700)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ base_url: server.url, ...credentials })

  expect(await pgw.run(['orders', 'get', 'ORD-1'], { env: { XDG_CONFIG_HOME: config } })).toMatchObject({ exitCode: 0 })
  for (const [path, loose, tight] of [
    [file, 0o640, 0o600],
    [join(config, 'pgw'), 0o755, 0o700],
  ] as const) {
    chmodSync(path, loose)
    const loosened = await pgw.run(['whoami'], { env: { XDG_CONFIG_HOME: config } })
    expect(loosened).toMatchObject({
      exitCode: 2,
      stdout: '',
      stderr: expect.stringContaining(`chmod ${tight.toString(8)} ${path}`),
    })
    chmodSync(path, tight)
  }
})

// Proves: cli/flag-over-environment-over-profile
test('a flag wins over the environment, which wins over the profile; whoami shows which, and no secret', async () => {
  const config = join(pgw.folder, 'sources')
  mkdirSync(join(config, 'pgw'), { recursive: true, mode: 0o700 })
  const profile = { base_url: server.url, ...credentials }
  writeFileSync(join(config, 'pgw/default.json'), JSON.stringify(profile), { mode: 0o600 })
  const own = { XDG_CONFIG_HOME: config }
  const whoami = async (args: string[], more: Record<string, string> = {}) => {
    const { stdout } = await pgw.run(['whoami', '--json', ...args], { env: { ...own, ...more } })
    expect(stdout).not.toContain(credentials.key_secret)
    return JSON.parse(stdout) as unknown
  }
  const id = (from: string) => ({ value: credentials.key_id, from })
  expect(await whoami([])).toEqual({
    profile: 'default',
    base_url: { value: server.url, from: 'profile' },
    key_id: id('profile'),
    key_secret: { from: 'profile' },
    environment: 'sandbox',
    accepted: true,
  })
  expect(await whoami([], { PGW_KEY_ID: credentials.key_id })).toMatchObject({ key_id: id('environment') })
  const given = ['--key-id', credentials.key_id, '--base-url', server.url]
  expect(await whoami(given, { PGW_KEY_ID: 'key_sandbox_other' })).toMatchObject({
    key_id: id('flag'),
    base_url: { from: 'flag' },
  })
  // A profile's secret is never used for another key.
  expect(await pgw.run(['whoami', '--key-id', 'key_sandbox_other'], { env: own })).toMatchObject({ exitCode: 3 })
})

// Proves: cli/live-keys-by-environment-only
test('live keys are not kept in a profile, nor read from one', async () => {
  const live = { key_id: credentials.key_id.replace('sandbox', 'live'), key_secret: credentials.key_secret }
  const config = join(pgw.folder, 'live')
  const own = { XDG_CONFIG_HOME: config, PGW_BASE_URL: server.url }
  const login = await pgw.run(['login', '--key-id', live.key_id], { env: own, input: live.key_secret })
  expect(login).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('Live keys are not kept') })
  mkdirSync(join(config, 'pgw'), { recursive: true, mode: 0o700 })
  writeFileSync(join(config, 'pgw/default.json'), JSON.stringify({ base_url: server.url, ...live }), { mode: 0o600 })
  expect(await pgw.run(['orders', 'get', 'ORD-1'], { env: own })).toMatchObject({ exitCode: 3 })
  expect(await pgw.run(['orders', 'get', 'ORD-1'], { env: { ...own, PGW_KEY_SECRET: live.key_secret } })).toMatchObject({
    exitCode: 0,
  })
  expect(await pgw.run(['trigger', 'success'], { env: { ...own, PGW_KEY_SECRET: live.key_secret } })).toMatchObject({
    exitCode: 2,
  })
})

test('login --local takes the seeded merchant of stack.json, here or above', async () => {
  const [root, deep] = [join(pgw.folder, 'checkout'), join(pgw.folder, 'checkout/a/b')]
  mkdirSync(join(root, '.local'), { recursive: true })
  mkdirSync(deep, { recursive: true })
  const own = { XDG_CONFIG_HOME: join(pgw.folder, 'local') }
  expect(await pgw.run(['login', '--local'], { env: own, cwd: deep })).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('npm start'),
  })
  const stack = { base_url: server.url, network_url: server.url, merchant: { merchant_id: 'M1', ...credentials } }
  writeFileSync(join(root, '.local/stack.json'), JSON.stringify(stack))
  expect(await pgw.run(['login', '--local'], { env: own, cwd: deep })).toMatchObject({ exitCode: 0 })
  expect(await pgw.run(['orders', 'get', 'ORD-1'], { env: own })).toMatchObject({ exitCode: 0 })
})

// Proves: cli/login-names-what-it-replaces
test('login says what it replaces in a profile, and --profile keeps both', async () => {
  const own = { XDG_CONFIG_HOME: join(pgw.folder, 'clones') }
  const [one, other] = ['one', 'other'].map((clone) => join(pgw.folder, clone)) as [string, string]
  const login = (cwd: string, ...args: string[]) => pgw.run(['login', '--local', ...args], { env: own, cwd })
  for (const [folder, key_id] of [
    [one, credentials.key_id],
    [other, `key_sandbox_${'b2'.repeat(12)}`],
  ] as const) {
    mkdirSync(join(folder, '.local'), { recursive: true })
    const stack = { base_url: server.url, network_url: server.url, merchant: { ...credentials, key_id } }
    writeFileSync(join(folder, '.local/stack.json'), JSON.stringify(stack))
  }
  expect(await login(one)).toMatchObject({ exitCode: 0, stderr: '' })
  expect(await login(one)).toMatchObject({ exitCode: 0, stderr: '' })
  expect(await login(other, '--profile', 'other')).toMatchObject({ exitCode: 0, stderr: '' })
  const replaced = `replaced profile default, which was ${credentials.key_id} at ${server.url}; --profile NAME keeps both\n`
  expect(await login(other)).toMatchObject({ exitCode: 0, stderr: replaced })
})

test('a wrong secret is found at login, and a missing one too', async () => {
  const own = { XDG_CONFIG_HOME: join(pgw.folder, 'wrong'), PGW_BASE_URL: server.url }
  const args = ['login', '--key-id', credentials.key_id]
  for (const input of ['', '\n', 'short\n'])
    expect(await pgw.run(args, { env: own, input })).toMatchObject({ exitCode: 2, stdout: '' })
})

// Proves: cli/interrupted-and-closed-pipes
test('SIGINT ends with 130, and a reader that goes away is no error', async () => {
  const waiting = pgw.start(['orders', 'wait', 'OPEN'], { env })
  await eventually(() => expect(waiting.stderr()).toContain('OPEN is Pending'), { deadlineMs: 20_000 })
  waiting.child.kill('SIGINT')
  expect(await waiting.ended).toMatchObject({ exitCode: 130, stdout: '' })

  const endless = pgw.start(['deliveries', 'list', '--limit', '10000000'], { env })
  await eventually(() => expect(endless.stdout()).toContain('D99'), { deadlineMs: 20_000 })
  endless.child.stdout?.destroy()
  expect(await endless.ended).toMatchObject({ exitCode: 0, stderr: '' })
})

test('webhooks verify agrees with the published library', async () => {
  const secret = formatSigningSecret(randomBytes(32))
  const body = JSON.stringify({ txnid: 'T1', merchantTxnId: 'ORD-1', status: 'Success', note: 'नीली' })
  const file = join(pgw.folder, 'body.json')
  writeFileSync(file, body)
  const at = new Date('2026-01-31T13:00:00Z')
  const headers = [
    '--id',
    'evt_1',
    '--timestamp',
    String(at.getTime() / 1000),
    '--signature',
    new Webhook(secret).sign('evt_1', at, body),
  ]
  const verify = (args: string[], key = secret) =>
    pgw.run(['webhooks', 'verify', file, '--json', ...headers, ...args], { env: { PGW_WEBHOOK_SECRET: key } })
  const genuine = await verify(['--at', at.toISOString()])
  expect(genuine.exitCode).toBe(0)
  expect(JSON.parse(genuine.stdout)).toMatchObject({ genuine: true, id: 'evt_1', payload: { txnid: 'T1' } })
  const old = await verify([])
  expect(old.exitCode).toBe(1)
  expect(JSON.parse(old.stdout)).toEqual({ genuine: false, reason: 'timestamp_too_old' })
  expect((await verify(['--at', at.toISOString()], formatSigningSecret(randomBytes(32)))).exitCode).toBe(1)
  expect((await verify(['--at', at.toISOString()], 'whsec_short')).exitCode).toBe(2)
  const typed = ['webhooks', 'verify', file, ...headers, '--at', at.toISOString()]
  expect(await pgw.run(typed, { input: secret })).toMatchObject({ exitCode: 0, stdout: 'genuine\n' })
})

test('what others wrote cannot steer the terminal', async () => {
  const evil = await startServer((_request, response) => {
    const { data } = searched('Success')
    json(response, 200, { data: { ...data, order: { order_id: 'ORD\u001B[2J' } }, checkout: null })
  })
  const { stdout } = await pgw.run(['orders', 'get', 'ORD-1'], { env: { ...env, PGW_BASE_URL: evil.url } })
  await evil.stop()
  expect(stdout).toContain('ORD')
  expect(stdout).not.toContain('\u001B')
})

// Proves: cli/data-on-stdout-progress-on-stderr
test('downtimes prints a line for each', async () => {
  expect(await pgw.run(['downtimes'], { env })).toMatchObject({
    exitCode: 0,
    stdout:
      'high  upi  since 2026-01-31T00:00:00Z\nmedium  netbanking HDFC  since 2026-01-31T00:00:00Z  until 2026-02-01T00:00:00Z\n',
  })
  expect(JSON.parse((await pgw.run(['downtimes', '--json'], { env })).stdout)).toEqual({ downtimes: DOWNTIMES })
})

// Proves: cli/times-in-lists, cli/order-ids-are-checked
test('lists take how long ago and days in IST; what cannot be a time or an order id is refused before any call', async () => {
  const asked = () => Object.fromEntries(new URL(server.requests.at(-1)?.path ?? '', server.url).searchParams)
  const before = Date.now()
  expect(await pgw.run(['orders', 'list', '--from', '2h', '--order', 'ORD-1'], { env })).toMatchObject({ exitCode: 0 })
  const { from = '', ...more } = asked()
  expect(more).toEqual({ order_id: 'ORD-1', limit: '20' })
  expect(Math.abs(Date.parse(from) + 7_200_000 - before)).toBeLessThan(60_000)
  const days = ['--from', '2026-11-23', '--to', '2026-11-24']
  expect(await pgw.run(['refunds', 'list', ...days], { env })).toMatchObject({ exitCode: 0 })
  expect(asked()).toEqual({ from: '2026-11-23T00:00:00+05:30', to: '2026-11-24T00:00:00+05:30', limit: '20' })
  const calls = server.requests.length
  for (const [args, words] of [
    [['timeline', 'a/b'], 'An order id is 3 to 45 letters, digits, - or _.'],
    [['orders', 'list', '--order', 'a/b'], 'An order id is 3 to 45 letters, digits, - or _.'],
    [['orders', 'list', '--from', 'yesterday'], 'a day such as 2026-01-31 (in IST)'],
    [['refunds', 'list', '--to', '2026-02-30'], 'how long ago, such as 30m, 2h or 3d.'],
  ] as const) {
    const refused = await pgw.run([...args], { env })
    expect(refused).toMatchObject({ exitCode: 2, stdout: '' })
    expect(refused.stderr).toContain(words)
  }
  expect(server.requests).toHaveLength(calls)
})

test('orders list shows rrn and refunds, and says when it finds nothing', async () => {
  const listed = await pgw.run(['orders', 'list', '--status', 'Success'], { env })
  const stdout = '2026-01-31T00:00:00.000Z  ORD-2  Success  499.00 INR  upi  rrn 412345678901  refunded 2.00 INR\n'
  expect(listed).toMatchObject({ exitCode: 0, stdout, stderr: '' })
  const none = await pgw.run(['orders', 'list', '--status', 'Pending'], { env })
  expect(none).toMatchObject({ exitCode: 0, stdout: '', stderr: 'nothing found\n' })
})

// Proves: cli/data-on-stdout-progress-on-stderr
test('orders list, timeline and refunds print a line for each thing', async () => {
  const listed = await pgw.run(['orders', 'list', '--status', 'Failed'], { env })
  expect(listed).toMatchObject({ exitCode: 0, stdout: '2026-01-31T00:00:00.000Z  ORD-1  Failed  499.00 INR  upi  risk\n' })
  const flags = ['--method', 'upi', '--payer', 'asha@okbank', '--refunded', 'none', '--min', '1', '--max', '499.00', '--rrn', '7']
  expect(await pgw.run(['orders', 'list', ...flags], { env })).toMatchObject({ exitCode: 0 })
  const asked = new URL(server.requests.at(-1)?.path ?? '', server.url).searchParams
  expect(Object.fromEntries(asked)).toEqual({
    ...{ method: 'upi', payer_vpa: 'asha@okbank', refund_state: 'none', amount_min: '1', amount_max: '499.00', rrn: '7' },
    limit: '20',
  })
  const timeline = await pgw.run(['timeline', 'ORD-1'], { env })
  expect(timeline.stdout).toBe('2026-01-31T00:00:00.000Z  status.changed  change 1  status Initiate\nmissing now: webhooks\n')
  const created = await pgw.run(['refunds', 'create', '--order', 'ORD-1', '--refund', 'RF-1', '--amount', '2.00'], { env })
  expect(created).toMatchObject({ exitCode: 0, stdout: 'T1R01  RF-1  ORD-1  2.00 INR  pending  queued\n' })
  const refunds = await pgw.run(['refunds', 'list', '--order', 'ORD-1', '--status', 'pending'], { env })
  expect(refunds).toMatchObject({ exitCode: 0, stdout: created.stdout })
  const settlements = await pgw.run(['settlements', 'list', '--from', '2026-01-01'], { env })
  expect(settlements).toMatchObject({ exitCode: 0, stdout: '2026-01-31  SET-1  497.82 INR  2 lines  UTR1\n' })
  const lines = await pgw.run(['settlements', 'lines', 'SET-1'], { env })
  expect(lines).toMatchObject({ exitCode: 0, stdout: 'refund  ORD-1  -2.00 INR  fee 0.00  tax 0.00  succeeded\n' })
  const report = await pgw.run(['reports', 'daily', '2026-11-21', '--json'], { env })
  expect(report).toMatchObject({
    exitCode: 0,
    stdout: '{"data":{},"end":{"rows":0,"as_of":"2026-11-22T00:00:00.000Z","complete":true}}',
  })
  expect(report.stderr).toBe('')
  const partial = await pgw.run(['reports', 'daily', '2026-11-22', '--json'], { env })
  expect(partial).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('"end"') as string })
  expect(partial.stderr).toContain('not complete: the report has what was known by 2026-11-22T05:00:00.000Z')
  const cut = await pgw.run(['reports', 'daily', '2026-11-23', '--json'], { env })
  expect(cut).toMatchObject({ exitCode: 5, stderr: expect.stringContaining('cut off') as string })
  expect(await pgw.run(['refunds', 'get', 'T1R02'], { env })).toMatchObject({ exitCode: 1 })
  expect(await pgw.run(['refunds', 'create', '--order', 'ORD-1'], { env })).toMatchObject({ exitCode: 2 })
})

// Proves: cli/refunds-by-own-id
test('a refund is found by the gateway’s id, by the merchant’s own, and with its order when several have it', async () => {
  const get = (...args: string[]) => pgw.run(['refunds', 'get', ...args], { env })
  const byId = await get('T1R01')
  expect(byId).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^T1R01 {2}RF-1 {2}ORD-1/u) })
  expect(await get('RF-1')).toEqual(byId)
  expect(await get('RF-2')).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('add --order') })
  expect(await get('RF-2', '--order', 'ORD-1')).toEqual(byId)
  expect(await get('RF-3')).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('There is no refund RF-3') })
})

test('rotate-secret prints the secret alone on stdout, and until when the previous one signs on stderr', async () => {
  const stderr = 'the previous secret signs, too, until 2026-02-01T00:00:00.000Z\n'
  for (const endpoint of ['endpoint', 'refund-endpoint'])
    expect(await pgw.run([endpoint, 'rotate-secret'], { env })).toEqual({ exitCode: 0, stdout: 'whsec_new\n', stderr })
})
