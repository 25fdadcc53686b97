/** Test files of one worker share modules and globals. Jest must still report every kind of failure, also in a later file. */
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '../..')

/** Runs first: Jest starts with the largest file. It leaves things behind. */
const FIRST = `// ${'-'.repeat(1000)}
  test('leaves', () => { jest.useFakeTimers(); process.env.LEFT = 'yes'; delete process.env.HOME; console.log = () => {} })`

const PASSING: Record<string, string> = {
  first: FIRST,
  isolated: `test('finds nothing', async () => {
    expect([process.env.LEFT, typeof process.env.HOME]).toEqual([undefined, 'string'])
    await new Promise((done) => setTimeout(done, 1)) })`,
}

const FAILING: Record<string, string> = {
  assertion: "test('fails', () => expect(1).toBe(2))",
  assertions: "test('fails', () => expect.hasAssertions())",
  'before-all': "beforeAll(() => { throw new Error('x') }); test('is not run', () => {})",
  'after-all': "afterAll(() => { throw new Error('x') }); test('passes', () => {})",
  exception:
    "test('fails', async () => { setTimeout(() => { throw new Error('x') }); await new Promise((done) => setTimeout(done, 50)) })",
  exit: "test('fails', () => process.exit(0))",
  hang: "test('fails', () => new Promise(() => {}), 100)",
  'hanging-hook': "beforeAll(() => new Promise(() => {}), 100); test('is not run', () => {})",
  load: "throw new Error('x')",
  'no-module': "import './missing.ts'; test('is not run', () => {})",
  'no-test': 'export {}',
  rejection:
    "test('fails', async () => { void Promise.reject(new Error('x')); await new Promise((done) => setTimeout(done, 50)) })",
  syntax: "test('is not run', () => {",
}

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bare-runtime-'))
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
  for (const [name, text] of Object.entries({ ...PASSING, ...FAILING })) await writeFile(join(folder, `${name}.test.ts`), text)
})
afterAll(() => rm(folder, { recursive: true }))

interface Report {
  readonly testResults: readonly { readonly name: string; readonly status: string }[]
}

async function runJest(): Promise<{ code: unknown; report: Report }> {
  const config = {
    rootDir: folder,
    cacheDirectory: join(folder, 'cache'),
    testMatch: ['**/*.test.ts'],
    testEnvironment: join(ROOT, 'tools/checks/bare-environment.js'),
    runtime: join(ROOT, 'tools/checks/bare-runtime.js'),
    transform: {},
    maxWorkers: 1,
    // Jest then starts a worker process, although there is only one.
    workerIdleMemoryLimit: '1GB',
  }
  const args = [join(ROOT, 'node_modules/jest/bin/jest.js'), '--config', JSON.stringify(config), '--json']
  return new Promise((resolve) => {
    const child = execFile(process.execPath, args, { cwd: folder, timeout: 120_000 }, (_failed, stdout) =>
      resolve({ code: child.exitCode, report: JSON.parse(stdout) as Report }),
    )
  })
}

test('every kind of failure is reported', async () => {
  const { code, report } = await runJest()
  const results = report.testResults.map(({ name, status }) => [name.slice(folder.length + 1, -'.test.ts'.length), status])
  expect(Object.fromEntries(results)).toEqual({
    ...Object.fromEntries(Object.keys(PASSING).map((name) => [name, 'passed'])),
    ...Object.fromEntries(Object.keys(FAILING).map((name) => [name, 'failed'])),
  })
  expect(code).toBe(1)
})
