/** The TCP ports on which the stack listens on this machine. */
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { UserError } from './user-error.ts'

/** RabbitMQ's default: a node's port for other nodes is its AMQP port plus this. */
export const DISTRIBUTION_OFFSET = 20_000

/** All, including the broker's distribution port, are below the kernel's range for outgoing connections. */
const DEFAULTS = {
  mongo: 27117,
  postgres: 25432,
  amqp: 11672,
  epmd: 11673,
  'api-gateway': 8080,
  'network-simulator': 8090,
  'auth-token': 8101,
  'order-api': 8102,
  'payment-status': 8103,
  checkout: 8104,
  'webhook-dispatcher': 8105,
  ledger: 8106,
  'auth-token-operator': 8111,
  'webhook-dispatcher-operator': 8115,
  'ledger-operator': 8116,
} as const

export type PortName = keyof typeof DEFAULTS
export type Ports = Readonly<Record<PortName, number>>

const PORT_NAMES = Object.keys(DEFAULTS) as PortName[]
const LAST_AMQP_PORT = 65_535 - DISTRIBUTION_OFFSET
const FIRST_FREE = 10_000
const EPHEMERAL_FROM = 32_768
const TRIES = 200

/** `API_GATEWAY_PORT` sets the port of `api-gateway`, and so on. */
export function portVariable(name: PortName): string {
  return `${name.replaceAll('-', '_').toUpperCase()}_PORT`
}

/** For each listener its own variable, else a free port with `STACK_PORTS=auto`, else the default. */
export async function choosePorts(env: NodeJS.ProcessEnv): Promise<Ports> {
  const mode = env['STACK_PORTS'] ?? ''
  if (mode !== '' && mode !== 'auto') throw new UserError(`STACK_PORTS is "${mode}"; it can only be "auto"`)
  const chosen: Record<string, number> = {}
  const taken = new Set<number>()
  for (const name of PORT_NAMES) {
    const given = env[portVariable(name)]
    const own = given === undefined ? DEFAULTS[name] : parsePort(name, given)
    const port = given === undefined && mode === 'auto' ? await findFree(name, taken) : own
    chosen[name] = port
    for (const one of portsOf(name, port)) taken.add(one)
  }
  return chosen as Ports
}

/** Throws a `UserError` that names every port on which another process listens. */
export async function requireFree(ports: Ports, names: readonly PortName[]): Promise<void> {
  const busy: string[] = []
  for (const name of names) {
    const states = await Promise.all(portsOf(name, ports[name]).map(async (port) => ({ port, free: await isFree(port) })))
    const taken = states.filter(({ free }) => !free).map(({ port }) => port)
    if (taken.length > 0) busy.push(`${taken.join(' and ')} (${name}; set ${portVariable(name)} to move it)`)
  }
  if (busy.length > 0)
    throw new UserError(`These ports are in use: ${busy.join(', ')}. Or set STACK_PORTS=auto to take free ones.`)
}

function parsePort(name: PortName, text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0
  const last = name === 'amqp' ? LAST_AMQP_PORT : 65_535
  if (port < 1 || port > last) throw new UserError(`${portVariable(name)} is "${text}"; it must be a port from 1 to ${last}`)
  return port
}

function portsOf(name: PortName, port: number): number[] {
  return name === 'amqp' ? [port, port + DISTRIBUTION_OFFSET] : [port]
}

/** A random port below the kernel's range for outgoing connections; for the broker, its distribution port is free as well. */
async function findFree(name: PortName, taken: ReadonlySet<number>): Promise<number> {
  const end = name === 'amqp' ? EPHEMERAL_FROM - DISTRIBUTION_OFFSET : EPHEMERAL_FROM
  for (let tryNumber = 1; tryNumber <= TRIES; tryNumber++) {
    const port = randomInt(FIRST_FREE, end)
    const free = await Promise.all(portsOf(name, port).map(async (one) => !taken.has(one) && (await isFree(one))))
    if (free.every(Boolean)) return port
  }
  throw new UserError(`no free port was found for ${name} in ${TRIES} tries`)
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer()
  server.listen({ port, host: '127.0.0.1', exclusive: true })
  const free = await once(server, 'listening').then(
    () => true,
    () => false,
  )
  server.close()
  return free
}
