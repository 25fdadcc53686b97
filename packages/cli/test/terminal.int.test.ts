/** `pgw` at a terminal: the prompt for a secret, and the browser that `pay --open` starts. */
import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { eventually } from '@gateway/testkit/eventually'
import { credentials, json, startServer, type FakeServer } from './fake-gateway.ts'
import { packCli, type Packed } from './packed.ts'

let pgw: Packed
let server: FakeServer
let checkoutUrl = ''

beforeAll(async () => {
  pgw = await packCli()
  server = await startServer(({ path }, response) => {
    const transaction = { id: 'T1', status: 'Initiate', amount: '499.00', currency: 'INR', sequence: 1 }
    const order = { data: { order: { order_id: 'ORD-1' }, transaction }, checkout: { url: checkoutUrl, intent: '' } }
    json(response, 200, path.startsWith('/api/v1/webhooks/deliveries') ? { data: { deliveries: [] }, next_cursor: null } : order)
  })
})

afterAll(async () => {
  await server.stop()
  pgw.remove()
})

interface Terminal {
  /** The text on the screen. */
  shown(): string
  type(keys: string): void
  readonly exitCode: Promise<number | null>
}

/** `script` of util-linux gives the program a terminal. */
function inTerminal(args: readonly string[], config: string): Terminal {
  const command = [join(pgw.folder, 'project/node_modules/.bin/pgw'), ...args].join(' ')
  const env = { PATH: process.env['PATH'], HOME: pgw.folder, XDG_CONFIG_HOME: config, TERM: 'xterm', SHELL: '/bin/sh' }
  const child = spawn('script', ['--quiet', '--return', '--command', command, '/dev/null'], { env })
  const chunks: string[] = []
  child.stdout.setEncoding('utf8').on('data', (text: string) => chunks.push(text))
  const exitCode = new Promise<number | null>((resolve) => child.once('close', resolve))
  return { shown: () => chunks.join(''), type: (keys) => void child.stdin.write(keys), exitCode }
}

const hasScript = spawnSync('script', ['--version']).status === 0
const testTerminal = hasScript ? test : test.skip

describe(`the prompt${hasScript ? '' : ' (skipped: there is no program script)'}`, () => {
  const login = (config: string) => inTerminal(['login', '--base-url', server.url, '--key-id', credentials.key_id], config)

  // Proves: cli/prompt-shows-no-secret
  testTerminal('login asks for the secret and does not show what is typed', async () => {
    const config = join(pgw.folder, 'typed')
    const terminal = login(config)
    await eventually(() => expect(terminal.shown()).toContain(`Secret of ${credentials.key_id}: `), { deadlineMs: 30_000 })
    terminal.type(`${credentials.key_secret}\r`)
    expect(await terminal.exitCode).toBe(0)
    expect(terminal.shown()).toContain('logged in to')
    expect(terminal.shown()).not.toContain(credentials.key_secret)
    expect(readFileSync(join(config, 'pgw/default.json'), 'utf8')).toContain(credentials.key_secret)
  })

  testTerminal('Ctrl-C at the prompt ends with 130, and nothing is kept', async () => {
    const config = join(pgw.folder, 'interrupted')
    const terminal = login(config)
    await eventually(() => expect(terminal.shown()).toContain('Secret of'), { deadlineMs: 30_000 })
    terminal.type('half of a secret\u0003')
    expect(await terminal.exitCode).toBe(130)
    expect(terminal.shown()).not.toContain('half')
    expect(existsSync(join(config, 'pgw'))).toBe(false)
  })
})

describe('pay --open', () => {
  const env = () => ({ PGW_BASE_URL: server.url, PGW_KEY_ID: credentials.key_id, PGW_KEY_SECRET: credentials.key_secret })
  const opened = () => join(pgw.folder, 'opened')

  /** A browser that stores the address that it is asked to open. */
  function pathWithBrowser(): string {
    const folder = join(pgw.folder, 'browser')
    mkdirSync(folder, { recursive: true })
    for (const name of ['xdg-open', 'open']) {
      writeFileSync(join(folder, name), `#!/bin/sh\nprintf '%s|' "$@" > '${opened()}'\n`)
      chmodSync(join(folder, name), 0o755)
    }
    return [folder, process.env['PATH']].join(delimiter)
  }

  test('starts a browser with the address of the hosted page, as one argument', async () => {
    checkoutUrl = 'https://gateway.example/checkout/T1?a=1&b=$(id);c'
    const run = await pgw.run(['pay', 'ORD-1', '--open'], { env: { ...env(), PATH: pathWithBrowser() } })
    expect(run).toEqual({ exitCode: 0, stdout: `${checkoutUrl}\n`, stderr: '' })
    await eventually(() => expect(readFileSync(opened(), 'utf8')).toBe(`${checkoutUrl}|`), { deadlineMs: 20_000 })
  })

  test('without a browser the address is printed', async () => {
    checkoutUrl = 'https://gateway.example/checkout/T1'
    const folder = join(pgw.folder, 'node-only')
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'node'), `#!/bin/sh\nexec '${process.execPath}' "$@"\n`)
    chmodSync(join(folder, 'node'), 0o755)
    const run = await pgw.run(['pay', 'ORD-1', '--open', '--json'], { env: { ...env(), PATH: folder } })
    expect(run).toEqual({ exitCode: 0, stdout: `${JSON.stringify({ order_id: 'ORD-1', url: checkoutUrl })}\n`, stderr: '' })
  })

  test('an address that is not a web address is not opened', async () => {
    checkoutUrl = 'file:///etc/passwd'
    const run = await pgw.run(['pay', 'ORD-1', '--open'], { env: { ...env(), PATH: pathWithBrowser() } })
    expect(run).toMatchObject({ exitCode: 2, stdout: '', stderr: 'pgw: The page has no web address: file:///etc/passwd\n' })
  })
})
