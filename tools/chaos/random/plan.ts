/** What fails, when and for how long: all of it follows from the seed. */
import type { ServiceName } from '@gateway-infra/local/services'
import { randomStream, type Random } from '@gateway/simulation/kernel/random'

/** Connections that can be disturbed, from the caller to what it calls. */
export const LINKS = [
  ['api-gateway', 'auth-token'],
  ['api-gateway', 'order-api'],
  ['api-gateway', 'payment-status'],
  ['order-api', 'mongo'],
  ['order-api', 'amqp'],
  ['payment-status', 'mongo'],
  ['payment-status', 'amqp'],
  ['payment-status', 'order-api'],
  ['payment-status', 'network-simulator'],
  ['webhook-dispatcher', 'mongo'],
  ['webhook-dispatcher', 'amqp'],
  ['network-simulator', 'mongo'],
  ['network-simulator', 'api-gateway'],
  ['auth-token', 'mongo'],
] as const satisfies readonly (readonly [ServiceName, ServiceName | 'mongo' | 'amqp'])[]
export type Link = (typeof LINKS)[number]

export const REPLICAS = 2
const SERVICES: readonly ServiceName[] = [
  ...(['api-gateway', 'auth-token', 'order-api', 'payment-status'] as const),
  ...(['webhook-dispatcher', 'network-simulator', 'checkout'] as const),
]
const ENGINES = ['postgres', 'ferretdb', 'rabbitmq'] as const

/** `kill`: SIGKILL, started again at the end. `pause`: SIGSTOP until the end. `stop`: SIGTERM, started again at the end. */
export type Fault = { readonly atMs: number; readonly forMs: number } & (
  | { readonly kind: 'kill' | 'pause' | 'stop'; readonly service: ServiceName; readonly replica: number }
  | { readonly kind: 'cut' | 'freeze' | 'slow'; readonly link: Link; readonly delayMs: number }
  | { readonly kind: 'kill engine'; readonly engine: (typeof ENGINES)[number] }
  | { readonly kind: 'receiver hangs' | 'receiver fails' }
)

const KINDS: readonly Fault['kind'][] = [
  ...(['kill', 'kill', 'kill', 'pause', 'pause', 'stop', 'cut', 'cut', 'freeze', 'slow'] as const),
  ...(['kill engine', 'receiver hangs', 'receiver fails'] as const),
]

/** Faults for `durationMs`, in the order of time. Two lanes run side by side, so one or two faults are active at once. */
export function planFaults(seed: number, durationMs: number): Fault[] {
  const lanes = ['first', 'second'].map((lane) => planLane(randomStream(seed, `plan/${lane}`), durationMs, lane === 'second'))
  return lanes.flat().toSorted((one, other) => one.atMs - other.atMs)
}

function planLane(random: Random, durationMs: number, isSparse: boolean): Fault[] {
  const faults: Fault[] = []
  for (let atMs = random.between(1000, 4000); ;) {
    const fault = drawFault(random, atMs)
    if (atMs + fault.forMs > durationMs) return faults
    faults.push(fault)
    atMs += fault.forMs + (isSparse ? random.between(8000, 25_000) : random.between(2000, 9000))
  }
}

function drawFault(random: Random, atMs: number): Fault {
  const kind = random.pick(KINDS)
  switch (kind) {
    case 'kill':
    case 'stop':
      return { kind, atMs, forMs: random.between(0, 5000), service: random.pick(SERVICES), replica: random.between(1, REPLICAS) }
    case 'pause':
      return {
        kind,
        atMs,
        forMs: random.between(1000, 40_000),
        service: random.pick(SERVICES),
        replica: random.between(1, REPLICAS),
      }
    case 'cut':
    case 'freeze':
    case 'slow':
      return { kind, atMs, forMs: random.between(1000, 15_000), link: random.pick(LINKS), delayMs: random.between(20, 400) }
    case 'kill engine':
      return { kind, atMs, forMs: 0, engine: random.pick(ENGINES) }
    case 'receiver hangs':
    case 'receiver fails':
      return { kind, atMs, forMs: random.between(1000, 20_000) }
  }
}

/** One line, such as `12.3 s  pause 8.1 s  payment-status 2`. */
export function describeFault(fault: Fault): string {
  const seconds = (ms: number) => (ms / 1000).toFixed(1)
  const what =
    'service' in fault
      ? `${fault.service} ${fault.replica}`
      : 'link' in fault
        ? fault.link.join(' → ') + (fault.kind === 'slow' ? ` by ${fault.delayMs} ms` : '')
        : 'engine' in fault
          ? fault.engine
          : ''
  return `${seconds(fault.atMs).padStart(7)} s  ${fault.kind} ${fault.forMs > 0 ? `${seconds(fault.forMs)} s` : ''}  ${what}`.trimEnd()
}
