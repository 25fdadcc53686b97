/**
 * `npm run test:packages`: packs the SDK and the CLI with pnpm, checks the tarballs with attw and publint, installs them into
 * projects of merchants' kinds, runs these, compiles the code of the READMEs, and prints the sizes. Exits with 1 when one fails.
 */
import { mkdirSync, mkdtempDisposableSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { ROOT } from '@gateway-infra/system/paths'
import { runCommand } from '@gateway-infra/system/command'
import { pack, run } from './run.ts'

/** A project as merchants have them. */
interface MerchantProject {
  readonly name: string
  /** The package that it installs; by default the SDK. */
  readonly uses?: 'sdk' | 'cli'
  /** What it needs from the registry, with versions. */
  readonly registry?: readonly string[]
  readonly type?: 'module'
  readonly files?: Readonly<Record<string, string>>
  /** The script `test`; npm puts the project's programs on its path. */
  readonly test: string
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
const NODE16 = { module: 'node16', moduleResolution: 'node16', types: ['node'] }
const STRICT = { target: 'es2024', strict: true, skipLibCheck: false, outDir: 'out', ...NODE16 }

const TYPED = `
import { Gateway, type NewOrder, type Order } from '@gateway/sdk'
import { createReceiver } from '@gateway/sdk/fetch'
const order: NewOrder = { order_id: 'ORD-1', amount: '1.00', customer: { name: 'A', email: 'a@b.example', phone: '9876543210' } }
const gateway = new Gateway({ baseUrl: 'https://gateway.example' })
const statusOf = ({ transaction }: Order): string => transaction.status
const receive: (request: Request) => Promise<Response> = createReceiver({
  gateway, secrets: 'whsec_', store: { get: async () => undefined, replace: async () => true },
  onFinal: (one) => void statusOf(one),
})
gateway.orders.create(order).then(() => { throw new Error('there are no credentials') }, (error: unknown) => console.log(String(error)))
`

const ROUTE = `import { Gateway, memoryStore } from '@gateway/sdk'
import { createReceiver } from '@gateway/sdk/fetch'
const gateway = new Gateway({ baseUrl: 'https://gateway.example' })
const POST = createReceiver({ gateway, secrets: 'whsec_', store: memoryStore(), onFinal: () => {} })
`
const LAYOUT = `default ({ children }: { children: React.ReactNode }) => <html lang="en"><body>{children}</body></html>\n`
const PAGE = 'default () => <p>A cart</p>\n'

const PROJECTS: readonly MerchantProject[] = [
  { name: 'CommonJS', files: { 'main.js': AS_COMMONJS }, test: 'node main.js' },
  { name: 'ESM', type: 'module', files: { 'main.js': AS_MODULE }, test: 'node main.js' },
  {
    name: 'TypeScript CommonJS',
    registry: TYPESCRIPT,
    files: { 'main.ts': TYPED, 'tsconfig.json': JSON.stringify({ compilerOptions: STRICT, files: ['main.ts'] }) },
    test: 'tsc && node out/main.js',
  },
  {
    name: 'Jest',
    registry: ['jest@30.5.2'],
    files: { 'main.test.js': `test('the SDK works', () => require('./exercise.cjs').exercise(require('@gateway/sdk')))` },
    test: 'jest',
  },
  {
    name: 'Next',
    registry: ['next@16.4.6', 'react@19.2.0', 'react-dom@19.2.0', ...TYPESCRIPT, '@types/react@19.2.2'],
    files: { 'app/webhooks/route.ts': ROUTE, 'app/layout.tsx': LAYOUT, 'app/page.tsx': PAGE },
    test: 'next build',
  },
  { name: 'Bun', registry: ['bun@1.4.5'], files: { 'main.ts': AS_MODULE }, test: 'bun main.ts' },
  { name: 'the binary pgw', uses: 'cli', test: 'pgw --version && pgw orders --help' },
]

const READMES = ['packages/sdk/README.md', 'README.md']
const BIN = join(import.meta.dirname, 'node_modules/.bin')

await runCommand(() => {
  using temporary = mkdtempDisposableSync(join(tmpdir(), 'packages-'))
  const folder = temporary.path
  const failures: string[] = []
  const check = (what: string, work: () => void): void => {
    try {
      work()
      console.log(`ok       ${what}`)
    } catch (error) {
      failures.push(what)
      console.log(`FAILED   ${what}\n${error instanceof Error ? error.message : String(error)}`)
    }
  }
  const [sdk, cli] = [pack('sdk', folder), pack('cli', folder)]
  console.log(`size     @gateway/sdk: ${sizes(sdk)}\nsize     @gateway/cli: ${sizes(cli)}`)
  check('publint @gateway/sdk', () => run(join(BIN, 'publint'), ['run', sdk, '--strict'], ROOT))
  check('publint @gateway/cli', () => run(join(BIN, 'publint'), ['run', cli, '--strict'], ROOT))
  // Node 22 reads `exports`; the resolution of Node 10, which does not, is left out.
  check('attw @gateway/sdk', () => run(join(BIN, 'attw'), [sdk, '--profile', 'node16'], ROOT))
  for (const project of PROJECTS) {
    const missing = (project.registry ?? []).filter((spec) => !installable(spec))
    if (missing.length === 0) check(`project ${project.name}`, () => runProject(project, folder))
    else console.log(`skipped  project ${project.name}: ${missing.join(', ')} not obtainable`)
  }
  check('code of the READMEs compiles', () => runProject(readmeProject(), folder))
  console.log(failures.length === 0 ? 'all passed' : `failed: ${failures.join(', ')}`)
  return Promise.resolve(failures.length === 0 ? 0 : 1)
})

function sizes(tarball: string): string {
  const listed = run('tar', ['tzvf', tarball], ROOT).trimEnd().split('\n')
  const unpacked = listed.reduce((sum, line) => sum + Number(line.trim().split(/\s+/u)[2]), 0)
  const [packedKb, unpackedKb] = [statSync(tarball).size, unpacked].map((bytes) => (bytes / 1000).toFixed(1))
  return `${packedKb} kB packed, ${unpackedKb} kB unpacked, ${listed.length} files`
}

/** Compiles each block of TypeScript in the READMEs as a module of its own. */
function readmeProject(): MerchantProject {
  const texts = READMES.map((readme) => readFileSync(join(ROOT, readme), 'utf8'))
  const blocks = texts.flatMap((text) => [...text.matchAll(/^```ts\n(.*?)^```/gmsu)].map(([, code = '']) => code))
  if (blocks.length === 0) throw new Error('the READMEs have no code')
  const files = Object.fromEntries(blocks.map((code, index) => [`block${index + 1}.ts`, code]))
  const compilerOptions = { target: 'es2024', module: 'nodenext', strict: true, noEmit: true, types: ['node'] }
  const tsconfig = JSON.stringify({ compilerOptions, files: Object.keys(files) })
  const registry = [...TYPESCRIPT, 'express@5.3.0', '@types/express@5.0.6', '@types/pg@8.23.1']
  return { name: 'readmes', registry, type: 'module', files: { ...files, 'tsconfig.json': tsconfig }, test: 'tsc' }
}

function installable(spec: string): boolean {
  try {
    return run('npm', ['view', spec, 'version'], '/').trim() !== ''
  } catch {
    return false
  }
}

/** Installs and runs a project in a folder of its own below that of the tarballs. Throws when a step fails. */
function runProject({ name, uses = 'sdk', registry = [], type, files, test }: MerchantProject, folder: string): void {
  const project = join(folder, name.replaceAll(' ', '-').toLowerCase())
  const manifest = JSON.stringify({ private: true, type, scripts: { test } })
  for (const [file, text] of Object.entries({ 'package.json': manifest, 'exercise.cjs': EXERCISE, ...files })) {
    mkdirSync(dirname(join(project, file)), { recursive: true })
    writeFileSync(join(project, file), text)
  }
  run('npm', ['install', '--no-audit', '--no-fund', '--silent', join(folder, `${uses}.tgz`), ...registry], project)
  run('npm', ['test', '--silent'], project, { CI: '1', NEXT_TELEMETRY_DISABLED: '1' })
}
