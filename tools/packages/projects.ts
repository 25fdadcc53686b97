import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { run } from './run.ts'

/** Paths of what `npm pack` has made. */
export interface Tarballs {
  readonly sdk: string
  readonly cli: string
}

/** A project as merchants have them. */
export interface MerchantProject {
  readonly name: string
  readonly tarballs: readonly string[]
  /** What it needs from the registry, with versions. */
  readonly registry: readonly string[]
  readonly manifest?: object
  readonly files: Readonly<Record<string, string>>
  /** Each is run in its folder; the first word is a program of Node, npm or the project. */
  readonly commands: readonly (readonly string[])[]
}

/** The same in each project: a signature made and verified, a call to a real server, and errors that `instanceof` knows. */
const EXERCISE = `
async function exercise({ Gateway, ApiError, GatewayError, SignatureError, createReceiver, memoryStore, sign, verify }) {
  const assert = (fact, what) => { if (!fact) throw new Error(what) }
  const { createServer } = process.getBuiltinModule('node:http')
  const server = createServer((request, response) => {
    response.writeHead(404, { 'content-type': 'application/problem+json' })
    response.end(JSON.stringify({ status: 404, code: 'endpoint_not_found', detail: 'none', request_id: 'r1' }))
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  const credentials = { key_id: 'key_sandbox_1', key_secret: Buffer.alloc(32, 7).toString('base64url') }
  const gateway = new Gateway({ baseUrl: 'http://127.0.0.1:' + server.address().port, credentials })
  const refused = await gateway.endpoint.get().catch((error) => error)
  server.close()
  server.closeAllConnections?.()
  assert(refused instanceof ApiError && refused instanceof GatewayError && refused instanceof Error, 'ApiError')
  assert(refused.code === 'endpoint_not_found' && refused.requestId === 'r1', 'details')
  const secret = 'whsec_' + Buffer.alloc(32, 1).toString('base64')
  const body = JSON.stringify({ txnid: 'T1', merchantTxnId: 'ORD-1', status: 'Pending' })
  const headers = await sign(body, secret)
  assert((await verify(body, headers, secret)).payload.txnid === 'T1', 'verify')
  const forged = await verify(body + ' ', headers, secret).catch((error) => error)
  assert(forged instanceof SignatureError && !(forged instanceof ApiError), 'SignatureError')
  const receiver = createReceiver({ gateway, secrets: secret, store: memoryStore(), onFinal: () => {} })
  assert((await receiver.handle(body, headers)) === 200 && (await receiver.handle('x', headers)) === 401, 'receiver')
}
`

const BOTH_COPIES = `
  const esm = await import('@gateway/sdk')
  const cjs = require('@gateway/sdk')
  if (esm.Gateway === cjs.Gateway) throw new Error('these are to be two copies')
  const error = new cjs.ApiError('refused', { code: 'x', status: 409 })
  if (!(error instanceof esm.ApiError) || error instanceof esm.TimeoutError) throw new Error('errors of the other copy are unknown')
`

const ADAPTERS = ['express', 'fastify', 'fetch']
const TYPESCRIPT = ['typescript@6.0.3', '@types/node@24.19.2']
const STRICT = { target: 'es2024', strict: true, skipLibCheck: false, outDir: 'out', types: ['node'] }

const TYPED = `
import { Gateway, type NewOrder, type Order } from '@gateway/sdk'
import { createReceiver } from '@gateway/sdk/fetch'
const order: NewOrder = { order_id: 'ORD-1', amount: '1.00', customer: { name: 'A', email: 'a@b.example', phone: '9876543210' } }
const gateway = new Gateway({ baseUrl: 'https://gateway.example' })
export const statusOf = ({ transaction }: Order): string => transaction.status
export const receive: (request: Request) => Promise<Response> = createReceiver({
  gateway, secrets: 'whsec_', store: { add: async () => undefined, get: async () => undefined, set: async () => {}, delete: async () => {} },
  onFinal: (one) => void statusOf(one),
})
// @ts-expect-error an amount is a text
const wrong: NewOrder = { ...order, amount: 1 }
void wrong
gateway.orders.create(order).then(() => { throw new Error('there are no credentials') }, (error: unknown) => console.log(String(error)))
`

export function merchantProjects({ sdk, cli }: Tarballs): MerchantProject[] {
  const requireAll = ADAPTERS.map((name) => `require('@gateway/sdk/${name}').createReceiver({})`).join('\n')
  const importAll = ADAPTERS.map((name) => `(await import('@gateway/sdk/${name}')).createReceiver({})`).join(';')
  const tsconfig = (module: string) =>
    JSON.stringify({ compilerOptions: { ...STRICT, module, moduleResolution: module }, files: ['main.ts'] })
  return [
    {
      name: 'CommonJS',
      tarballs: [sdk],
      registry: [],
      files: {
        'main.js': `${EXERCISE}(async () => { await exercise(require('@gateway/sdk'))\n${requireAll}\n${BOTH_COPIES} })()`,
      },
      commands: [['node', 'main.js']],
    },
    {
      name: 'ESM',
      tarballs: [sdk],
      registry: [],
      manifest: { type: 'module' },
      files: { 'main.js': `import * as sdk from '@gateway/sdk'\n${EXERCISE}await exercise(sdk);\n${importAll}` },
      commands: [['node', 'main.js']],
    },
    {
      name: 'TypeScript CommonJS',
      tarballs: [sdk],
      registry: TYPESCRIPT,
      files: { 'main.ts': TYPED, 'tsconfig.json': tsconfig('node16') },
      commands: [
        ['npx', 'tsc'],
        ['node', 'out/main.js'],
      ],
    },
    {
      name: 'Jest',
      tarballs: [sdk],
      registry: ['jest@30.5.2'],
      files: { 'main.test.js': `${EXERCISE}test('the SDK works', () => exercise(require('@gateway/sdk')))` },
      commands: [['npx', 'jest']],
    },
    {
      name: 'Next',
      tarballs: [sdk],
      registry: ['next@16.4.6', 'react@19.2.0', 'react-dom@19.2.0', ...TYPESCRIPT, '@types/react@19.2.2'],
      files: nextFiles(),
      commands: [['npx', 'next', 'build']],
    },
    {
      name: 'Bun',
      tarballs: [sdk],
      registry: ['bun@1.4.5'],
      files: { 'main.ts': `import * as sdk from '@gateway/sdk'\n// @ts-nocheck\n${EXERCISE}await exercise(sdk);\n${importAll}` },
      commands: [['npx', 'bun', 'main.ts']],
    },
    {
      name: 'the binary pgw',
      tarballs: [cli],
      registry: [],
      files: {},
      commands: [
        ['npx', 'pgw', '--version'],
        ['npx', 'pgw', 'orders', '--help'],
      ],
    },
  ]
}

function nextFiles(): Record<string, string> {
  const route = `import { Gateway, memoryStore } from '@gateway/sdk'
import { createReceiver } from '@gateway/sdk/fetch'
const gateway = new Gateway({ baseUrl: 'https://gateway.example' })
export const POST = createReceiver({ gateway, secrets: 'whsec_', store: memoryStore(), onFinal: () => {} })
`
  return {
    'app/webhooks/route.ts': route,
    'app/layout.tsx': `export default ({ children }: { children: React.ReactNode }) => <html lang="en"><body>{children}</body></html>\n`,
    'app/page.tsx': 'export default () => <p>A cart</p>\n',
  }
}

/** False when the registry does not have it. */
export function installable(spec: string): boolean {
  try {
    return run('npm', ['view', spec, 'version'], '/').trim() !== ''
  } catch {
    return false
  }
}

/** Installs and runs a project in a folder of its own. Throws when a step fails. */
export function runProject(
  { name, tarballs, registry, manifest = {}, files, commands }: MerchantProject,
  folder: string,
): string {
  const project = join(folder, name.replaceAll(' ', '-').toLowerCase())
  for (const [file, text] of Object.entries({ 'package.json': JSON.stringify({ private: true, ...manifest }), ...files })) {
    mkdirSync(dirname(join(project, file)), { recursive: true })
    writeFileSync(join(project, file), text)
  }
  run('npm', ['install', '--no-audit', '--no-fund', '--silent', ...tarballs, ...registry], project)
  for (const [program = '', ...args] of commands)
    run(program, program === 'npx' ? ['--no-install', ...args] : args, project, { CI: '1', NEXT_TELEMETRY_DISABLED: '1' })
  return ''
}
