/**
 * Which libraries a service loads at run time. Each `main.ts` runs without a configuration: it loads all of its modules, refuses to
 * start and exits with 78. Node writes the URL of each module into its coverage.
 */
import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const ROOT = join(import.meta.dirname, '../..')
const DATABASE_DRIVER = /\/node_modules\/(?:mongoose|mongodb|bson)\//u

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'module-graph-'))
})
afterAll(() => rm(folder, { recursive: true }))

async function modulesOf(service: string): Promise<string[]> {
  const coverage = join(folder, service)
  const main = join(ROOT, 'services', service, 'src/main.ts')
  const run = promisify(execFile)(process.execPath, [main], { env: { NODE_V8_COVERAGE: coverage } })
  await expect(run).rejects.toMatchObject({ code: 78 })
  const [file = ''] = await readdir(coverage)
  const { result }: { result: { url: string }[] } = JSON.parse(await readFile(join(coverage, file), 'utf8'))
  return result.map(({ url }) => url)
}

test.each(['api-gateway', 'checkout'])('%s has no database and loads no driver', async (service) => {
  const modules = await modulesOf(service)
  expect(modules.some((url) => url.endsWith(`/services/${service}/src/service.ts`))).toBe(true)
  expect(modules.filter((url) => DATABASE_DRIVER.test(url))).toEqual([])
})

test('api-gateway loads no axios: it calls services with undici', async () => {
  expect((await modulesOf('api-gateway')).filter((url) => url.includes('/node_modules/axios/'))).toEqual([])
})

test('a driver that is loaded is found', async () => {
  expect((await modulesOf('order-api')).some((url) => DATABASE_DRIVER.test(url))).toBe(true)
})
