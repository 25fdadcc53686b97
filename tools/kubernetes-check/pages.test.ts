/** Addresses, ports, secrets and jobs agree with the other files that name them. */
import { BlockList, isIPv6 } from 'node:net'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { addressKindOf } from '@gateway-services/webhook-dispatcher/sending/address-guard'
import { readingsOf, SERVICES } from '@gateway-tools/config-table/readings'
import { OVERLAYS, renderDeployment } from './deployment.ts'
import { mapsAt, ofKind, textAt, textsAt } from './objects.ts'
import { readImageEnvironment, workloadsOf } from './workloads.ts'

const ROOT = join(import.meta.dirname, '../..')
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8')
const sandbox = renderDeployment(join(OVERLAYS, 'sandbox'))
const deployments = workloadsOf(sandbox, ['Deployment'])

describe('webhooks go only to public addresses', () => {
  const blocks = mapsAt(ofKind(sandbox, 'NetworkPolicy'), '*.spec.egress.*.to.*.ipBlock').map((block) => ({
    cidr: textAt(block, 'cidr'),
    except: textsAt(block, 'except.*'),
  }))
  const listOf = (cidrs: readonly string[]): BlockList => {
    const list = new BlockList()
    for (const cidr of cidrs) list.addSubnet(cidr.split('/')[0] ?? '', Number(cidr.split('/')[1]), family(cidr))
    return list
  }
  const family = (address: string) => (address.includes(':') ? 'ipv6' : 'ipv4')
  const inside = listOf(blocks.map(({ cidr }) => cidr))
  const outside = listOf(blocks.flatMap(({ except }) => except))
  const allowed = (address: string): boolean => inside.check(address, family(address)) && !outside.check(address, family(address))

  /** The first and last address of a network, and the addresses next to it on either side. */
  const edgesOf = (cidr: string): string[] => {
    const [address = '', bits = ''] = cidr.split('/')
    const size = isIPv6(address) ? 128n : 32n
    const first = toNumber(address)
    const last = first + (1n << (size - BigInt(bits))) - 1n
    return [first - 1n, first, last, last + 1n].filter((n) => n >= 0n && n < 1n << size).map((n) => toAddress(n, size))
  }
  const edges = blocks.flatMap(({ cidr, except }) => [cidr, ...except]).flatMap(edgesOf)

  // Proves: deploy/manifests-fit-the-services
  test.each([...new Set(edges)])('%s: the policy says what the dispatcher itself says', (address) => {
    expect({ address, allowed: allowed(address) }).toEqual({ address, allowed: addressKindOf(address) === undefined })
  })

  test.each([
    '10.0.0.1',
    '127.0.0.1',
    '169.254.169.254',
    '100.64.1.1',
    '192.168.1.1',
    '172.20.0.1',
    '::1',
    'fd00:ec2::254',
    '64:ff9b::1',
  ])('%s cannot be reached', (address) => {
    expect(allowed(address)).toBe(false)
  })
})

// Proves: deploy/manifests-fit-the-services
test.each(deployments.map(({ manifest, containers }) => [manifest.metadata.name, containers] as const))(
  '%s listens where its ports are named',
  (name, containers) => {
    const container = containers.find(({ service }) => service === name)
    if (!container) throw new Error('there is no container')
    const given = { ...readImageEnvironment(), ...container.variables }
    const readings = SERVICES.filter((one) => one.name === name).flatMap(readingsOf)
    const portOf = (variable: string): string | undefined =>
      given[variable] ?? readings.find((reading) => reading.name === variable)?.fallback
    const ports = Object.fromEntries(
      mapsAt(container.spec, 'ports.*').map((port) => [textAt(port, 'name'), textAt(port, 'containerPort')]),
    )
    const { METRICS_PORT: metrics = portOf('PORT') } = given
    const operators = portOf('OPERATOR_PORT')
    const http = metrics === portOf('PORT') ? {} : { http: portOf('PORT') }
    expect(ports).toEqual({ ...http, metrics, ...(operators === undefined ? {} : { operators }) })
  },
)

test('the page names every secret that has to be made, and by which service it is read', () => {
  const page = read('docs/operations/kubernetes.md')
  const made = deployments.flatMap(({ manifest, containers }) =>
    containers
      .flatMap(({ files }) => files)
      .filter(({ secret }) => secret === manifest.metadata.name)
      .map(({ secret, key }) => [secret, key] as const),
  )
  const rows = [...page.matchAll(/^\| `([\w-]+)` \| ((?:`\w+`(?:, )?)+) \|/gmu)].flatMap(([, service = '', keys = '']) =>
    [...keys.matchAll(/`(\w+)`/gu)].map(([, key = '']) => [service, key] as const),
  )
  expect(rows.map(String).toSorted()).toEqual(made.map(String).toSorted())
  for (const user of textsAt(ofKind(sandbox, 'MongoDBCommunity'), '*.spec.users.*.name')) expect(page).toContain(user)
})

test('the page waits for the Jobs of one release, each by its name', () => {
  const waited = [...read('docs/operations/kubernetes.md').matchAll(/job\/([\w-]+)-0-2-0/gu)].map(([, name]) => name)
  const jobs = ofKind(renderDeployment(join(OVERLAYS, 'production')), 'Job')
  expect(waited.toSorted()).toEqual(jobs.map(({ metadata }) => metadata.name.replace(/-0-1-0$/u, '')).toSorted())
})

test('the sandbox publishes only the pages of its banks and its UPI app, not the API of its network', () => {
  const ingress = ofKind(sandbox, 'Ingress').filter(({ metadata }) => metadata.name === 'network-simulator')
  const paths = textsAt(ingress, '*.spec.rules.*.http.paths.*.path')
  const files = globSync('services/network-simulator/src/http/*-routes.ts', { cwd: ROOT })
  const routes = files.flatMap((file) => [...read(file).matchAll(/\.(?:get|post)\('([^']+)'/gu)].map(([, route = '']) => route))
  const isPublic = (route: string): boolean => paths.some((path) => route === path || route.startsWith(`${path}/`))
  expect(new Set(routes.filter(isPublic))).toEqual(
    new Set(['/bank/:token', '/sandbox/upi', '/sandbox/upi/pay', '/sandbox/upi/payments/:reference']),
  )
  expect(routes.filter((route) => !isPublic(route))).toContain('/sandbox/payments/:tr/resolve')
})

test('Prometheus finds the job that the alerts look for', () => {
  const jobs = [...read('infra/observability/prometheus/alerts.yml').matchAll(/job="([^"]+)"/gu)].map(([, job]) => job)
  const monitors = ofKind(sandbox, 'PodMonitor')
  const labels = mapsAt(monitors, '*.spec.podMetricsEndpoints.*.relabelings.*').filter(({ targetLabel }) => targetLabel === 'job')
  expect(new Set(jobs).size).toBe(1)
  expect(new Set(textsAt(labels, '*.replacement'))).toEqual(new Set(jobs))
})

function toNumber(address: string): bigint {
  if (!isIPv6(address)) return address.split('.').reduce((sum, part) => sum * 256n + BigInt(part), 0n)
  const [head = '', tail = ''] = address.split('::')
  const parts = (text: string): string[] => (text === '' ? [] : text.split(':'))
  const zeros = address.includes('::') ? Array<string>(8 - parts(head).length - parts(tail).length).fill('0') : []
  return [...parts(head), ...zeros, ...parts(tail)].reduce((sum, part) => sum * 65_536n + BigInt(`0x${part}`), 0n)
}

function toAddress(number: bigint, size: bigint): string {
  const step = size === 32n ? 8n : 16n
  const parts = Array.from(
    { length: Number(size / step) },
    (_, index) => (number >> (size - step * BigInt(index + 1))) & ((1n << step) - 1n),
  )
  return size === 32n ? parts.join('.') : parts.map((part) => part.toString(16)).join(':')
}
