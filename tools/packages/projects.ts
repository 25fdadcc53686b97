import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
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

/** Programs of the projects, copied into each of them. */
const EXERCISE = readFileSync(join(import.meta.dirname, 'test/exercise.cjs'), 'utf8')

const ADAPTERS = ['express', 'fastify', 'fetch']
const AS_COMMONJS = `const { exercise, compareCopies } = require('./exercise.cjs')
const cjs = require('@gateway/sdk')
${ADAPTERS.map((name) => `require('@gateway/sdk/${name}').createReceiver({})`).join('\n')}
exercise(cjs).then(async () => compareCopies(await import('@gateway/sdk'), cjs))`
const AS_MODULE = `import * as sdk from '@gateway/sdk'
import { exercise } from './exercise.cjs'
await exercise(sdk)
${ADAPTERS.map((name) => `;(await import('@gateway/sdk/${name}')).createReceiver({})`).join('\n')}`
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
gateway.orders.create(order).then(() => { throw new Error('there are no credentials') }, (error: unknown) => console.log(String(error)))
`

export function merchantProjects({ sdk, cli }: Tarballs): MerchantProject[] {
  const tsconfig = (module: string) =>
    JSON.stringify({ compilerOptions: { ...STRICT, module, moduleResolution: module }, files: ['main.ts'] })
  return [
    {
      name: 'CommonJS',
      tarballs: [sdk],
      registry: [],
      files: { 'exercise.cjs': EXERCISE, 'main.js': AS_COMMONJS },
      commands: [['node', 'main.js']],
    },
    {
      name: 'ESM',
      tarballs: [sdk],
      registry: [],
      manifest: { type: 'module' },
      files: { 'exercise.cjs': EXERCISE, 'main.js': AS_MODULE },
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
      files: {
        'exercise.cjs': EXERCISE,
        'main.test.js': `test('the SDK works', () => require('./exercise.cjs').exercise(require('@gateway/sdk')))`,
      },
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
      files: { 'exercise.cjs': EXERCISE, 'main.ts': AS_MODULE },
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
