/** Size, user, start and refusals of every image. */
import { completeOf, inProduction, isRequired } from '@gateway-tools/config-table/production'
import { SERVICES as CONFIGS } from '@gateway-tools/config-table/readings'
import { SERVICES } from '@gateway-infra/local/services'
import { given, serviceImage } from './test/containers.ts'
import { docker, runImage } from './test/run-image.ts'

const NAMES = SERVICES.map(({ name }) => name)
const MAX_BYTES_ABOVE_BASE = 250_000_000
/** EX_CONFIG of sysexits.h. */
const UNUSABLE_CONFIGURATION = 78

interface Inspected {
  readonly Size: number
  readonly Config: {
    readonly User: string
    readonly Cmd: readonly string[]
    readonly Healthcheck?: { readonly Test: readonly string[] }
    readonly Labels: Readonly<Record<string, string>>
  }
}

async function inspect(image: string): Promise<Inspected> {
  const { output } = await docker(['image', 'inspect', '--format', '{{json .}}', image])
  return JSON.parse(output) as Inspected
}

describe.each(NAMES)('the image of %s', (name) => {
  const image = serviceImage(name)

  // Proves: deploy/images-are-small-and-read-only
  test('is small, does not run as root, starts without a shell, and has labels and a health check', async () => {
    const [{ Size, Config }, base] = [await inspect(image), await inspect(given('NODE_IMAGE'))]

    expect(Size - base.Size).toBeLessThan(MAX_BYTES_ABOVE_BASE)
    expect(Config.User).toBe('1000:1000')
    expect(Config.Cmd).toEqual(['node', 'src/main.ts'])
    expect(Config.Healthcheck?.Test).toEqual(['CMD', 'node', '/app/healthcheck.mjs'])
    expect(Config.Labels).toMatchObject({ 'org.opencontainers.image.title': `payment-gateway/${name}` })
    expect(Config.Labels['org.opencontainers.image.revision']).toMatch(/^[0-9a-f]{40}$/u)
  })

  // Proves: deploy/images-are-small-and-read-only
  test('contains neither tests nor development dependencies', async () => {
    const look =
      "const found = fs.globSync(['/app/{services,packages}/*/{src,test}/**/*.test.ts', '/app/node_modules/.pnpm/{jest,typescript,eslint,testcontainers}@*']); console.log(found.length)"
    const { output } = await runImage(image, {}, ['node', '--eval', look])

    expect(output.trim().split('\n').at(-1)).toBe('0')
  })

  // Proves: deploy/images-are-small-and-read-only
  test('is not healthy while its service does not answer', async () => {
    expect((await runImage(image, {}, ['node', '/app/healthcheck.mjs'])).code).toBe(1)
  })

  // Proves: deploy/images-refuse-unsafe-values
  test('exits at once without a configuration, and names what is missing', async () => {
    const { code, output } = await runImage(image, {})

    expect(code).toBe(UNUSABLE_CONFIGURATION)
    expect(output).toContain('ENVIRONMENT is required')
  })
})

const inProductionToo = CONFIGS.filter(({ name }) => name !== 'network-simulator')

describe.each(inProductionToo)('$name in production', (service) => {
  const image = serviceImage(service.name)
  const complete: Record<string, string> = completeOf(service)
  const required = inProduction(service).filter(isRequired)

  // Proves: deploy/images-refuse-unsafe-values
  test('exits without a required value, and names each', async () => {
    // Optional values are given, since some of them make other values required.
    const optional = Object.entries(complete).filter(([name]) => !required.some((reading) => reading.name === name))
    const env = { ...Object.fromEntries(optional), ENVIRONMENT: 'production' }
    const { code, output } = await runImage(image, env)

    expect(code).toBe(UNUSABLE_CONFIGURATION)
    for (const { name } of required.filter((reading) => reading.name !== 'ENVIRONMENT')) {
      expect(output).toContain(`${name} is required`)
    }
  })

  // Proves: deploy/images-refuse-unsafe-values
  test('exits with plain HTTP or a weak secret, and names it', async () => {
    const plain = Object.fromEntries(Object.entries(complete).filter(([, value]) => value.startsWith('https:')))
    const unsafe = Object.fromEntries(Object.keys(plain).map((name) => [name, 'http://plain.example']))
    const secret = inProduction(service).find((reading) => reading.secret === true && !reading.name.endsWith('_URL'))?.name ?? ''
    const { code, output } = await runImage(image, { ...complete, ...unsafe, [secret]: '0'.repeat(40) })

    expect(code).toBe(UNUSABLE_CONFIGURATION)
    for (const name of [...Object.keys(unsafe), secret]) expect(output).toContain(name)
  })
})

// Proves: deploy/images-refuse-unsafe-values
test('the simulator does not run in production at all', async () => {
  const { code, output } = await runImage(serviceImage('network-simulator'), { ENVIRONMENT: 'production' })

  expect(code).toBe(UNUSABLE_CONFIGURATION)
  expect(output).toContain('production')
})
