/** What stands in more than one place: addresses, ports, secrets and jobs that other files name too. */
import { BlockList, isIPv6 } from 'node:net'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { addressKindOf } from '@gateway-services/webhook-dispatcher/clients/webhook/address-guard'
import { readingsOf } from '@gateway-tools/config-table/readings'
import { SERVICES } from '@gateway-tools/config-table/services'
import { OVERLAYS, readImageEnvironment, renderDeployment } from './deployment.ts'
import { secretFilesOf, variablesOf } from './environment.ts'
import { containersOf, ofKind } from './manifests.ts'

const ROOT = join(import.meta.dirname, '../..')
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8')
const sandbox = renderDeployment(join(OVERLAYS, 'sandbox'))
const deployments = ofKind(sandbox, 'Deployment')

describe('webhooks go to public addresses alone', () => {
  const blocks = ofKind(sandbox, 'NetworkPolicy')
    .flatMap(({ spec }) => spec.egress ?? [])
    .flatMap(({ to = [] }) => to.flatMap(({ ipBlock }) => (ipBlock ? [ipBlock] : [])))
  const listOf = (cidrs: readonly string[]): BlockList => {
    const list = new BlockList()
    for (const cidr of cidrs) list.addSubnet(cidr.split('/')[0] ?? '', Number(cidr.split('/')[1]), family(cidr))
    return list
  }
  const family = (address: string) => (address.includes(':') ? 'ipv6' : 'ipv4')
  const inside = listOf(blocks.map(({ cidr }) => cidr))
  const outside = listOf(blocks.flatMap(({ except = [] }) => except))
  const allowed = (address: string): boolean => inside.check(address, family(address)) && !outside.check(address, family(address))

  /** The first and last address of a network, and their neighbours outside it. */
  const edgesOf = (cidr: string): string[] => {
    const [address = '', bits = ''] = cidr.split('/')
    const size = isIPv6(address) ? 128n : 32n
    const first = toNumber(address)
    const last = first + (1n << (size - BigInt(bits))) - 1n
    return [first - 1n, first, last, last + 1n].filter((n) => n >= 0n && n < 1n << size).map((n) => toAddress(n, size))
  }
  const edges = blocks.flatMap(({ cidr, except = [] }) => [cidr, ...except]).flatMap(edgesOf)

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
  ])('%s is not reached', (address) => {
    expect(allowed(address)).toBe(false)
  })
})

// Proves: deploy/manifests-fit-the-services
test.each(deployments.map((workload) => [workload.metadata.name, workload] as const))(
  '%s listens where its ports are named',
  (name, workload) => {
    const [service] = workload.spec.template.spec.containers
    if (!service) throw new Error('there is no container')
    const given = { ...readImageEnvironment(), ...variablesOf(service, sandbox).variables }
    const readings = SERVICES.filter((one) => one.name === name).flatMap(readingsOf)
    const portOf = (variable: string): string | undefined =>
      given[variable] ?? readings.find((reading) => reading.name === variable)?.fallback
    const ports = Object.fromEntries((service.ports ?? []).map((port) => [port.name, String(port.containerPort)]))
    const { METRICS_PORT: metrics = portOf('PORT') } = given
    const operators = portOf('OPERATOR_PORT')
    const http = metrics === portOf('PORT') ? {} : { http: portOf('PORT') }
    expect(ports).toEqual({ ...http, metrics, ...(operators === undefined ? {} : { operators }) })
  },
)

test('the page names every secret that has to be made, and by which service it is read', () => {
  const page = read('docs/operations/kubernetes.md')
  const made = deployments.flatMap((workload) =>
    containersOf(workload).flatMap((container) =>
      secretFilesOf(container, workload.spec.template.spec)
        .filter(({ secret }) => secret === workload.metadata.name)
        .map(({ secret, key }) => [secret, key] as const),
    ),
  )
  const rows = [...page.matchAll(/^\| `([\w-]+)` \| ((?:`\w+`(?:, )?)+) \|/gmu)].flatMap(([, service = '', keys = '']) =>
    [...keys.matchAll(/`(\w+)`/gu)].map(([, key = '']) => [service, key] as const),
  )
  expect(rows.map(String).toSorted()).toEqual(made.map(String).toSorted())
  for (const { spec } of ofKind(sandbox, 'MongoDBCommunity'))
    for (const { name } of spec.users ?? []) expect(page).toContain(name)
})

test('the page waits for the Jobs of one release, each by its name', () => {
  const waited = [...read('docs/operations/kubernetes.md').matchAll(/job\/([\w-]+)-0-2-0/gu)].map(([, name]) => name)
  const jobs = ofKind(renderDeployment(join(OVERLAYS, 'production')), 'Job')
  expect(waited.toSorted()).toEqual(jobs.map(({ metadata }) => metadata.name.replace(/-0-1-0$/u, '')).toSorted())
})

test('Prometheus finds the job that the alerts look for', () => {
  const jobs = [...read('infra/observability/prometheus/alerts.yml').matchAll(/job="([^"]+)"/gu)].map(([, job]) => job)
  const monitor = JSON.stringify(sandbox.filter(({ kind }) => kind === 'PodMonitor'))
  expect(new Set(jobs).size).toBe(1)
  for (const job of jobs) expect(monitor).toContain(`"targetLabel":"job","replacement":"${String(job)}"`)
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
