import { randomStream, type Random } from '../kernel/random.ts'
import { REPLICAS, SERVICES } from '../actors/configs.ts'

export const MEMBERS = 3

/** Calls that fail over HTTP. */
export const LINKS = [
  ['merchants', 'order-api'],
  ['merchants', 'payment-status'],
  ['network', 'payment-status'],
  ['payment-status', 'order-api'],
  ['payment-status', 'network'],
  ['webhook-dispatcher', 'merchants'],
] as const
export type Link = (typeof LINKS)[number]
/** Enquiries, reversals and refunds are few, and what they decide is about money. */
const OFTEN: readonly Link[] = [...LINKS, ['payment-status', 'network'], ['payment-status', 'network']]

/**
 * One fault; its number is its place in the plan, by which `--keep` names it. `crash`: the replica dies at its n-th call to the outside.
 * `slowMs`: how much longer a majority takes around it, so that more is lost with the old primary or the node. All of them end when
 * `forMs` is over; a dead replica is started again.
 */
export type Fault = ReturnType<typeof drawFault> | ReturnType<typeof drawChunkMoves>[number]

/** Everything of a run that is drawn from the seed, except for what happens by itself. */
export interface Plan {
  readonly seed: number
  /** No failover then, and everything written is committed at once. */
  readonly isStandalone: boolean
  /** With one, the database is not sharded. */
  readonly shards: 1 | 2 | 4
  /** To how many partitions publishers send; in some runs the operator changes it to the next ones. */
  readonly partitions: readonly number[]
  /** One replica of each service stays down at the end. */
  readonly isHalfDown: boolean
  readonly faults: readonly Fault[]
}

/**
 * Draws a plan whose faults begin within a time. Each has a random stream of its own, so that the others stay as they are when one is
 * left out.
 */
export function drawPlan(seed: number, withinMs: number): Plan {
  const random = randomStream(seed, 'plan')
  const isStandalone = random.whole(8) === 0
  const count = random.whole(12) === 0 ? 0 : random.between(2, 9)
  const faults = Array.from({ length: count }, (_, index) => drawFault(randomStream(seed, `fault/${index}`), index, withinMs))
  const stuck = drawStuckRetries(randomStream(seed, 'stuck retries'), count)
  const scale = randomStream(seed, 'scale')
  const shards = isStandalone ? 1 : scale.pick([1, 1, 2, 4] as const)
  const moves = shards > 1 ? drawChunkMoves(scale, count + stuck.length, withinMs) : []
  const partitions = scale.pick(PARTITIONS)
  const all = [...faults, ...stuck, ...moves].toSorted((one, other) => one.atMs - other.atMs)
  return { seed, isStandalone, shards, partitions, isHalfDown: random.whole(2) === 0, faults: all }
}

const PARTITIONS: readonly (readonly number[])[] = [[1], [1], [2], [4], [1, 4], [4, 1], [4, 2], [2, 4, 1]]

/** Chunks move to other shards while writes run; `pick` decides which ones, and where to. */
function drawChunkMoves(random: Random, firstNumber: number, withinMs: number) {
  return Array.from({ length: random.between(2, 8) }, (_, index) => {
    const [number, atMs, pick] = [firstNumber + index, random.whole(withinMs), random.whole(2 ** 20)]
    return { kind: 'chunk moves' as const, number, atMs, forMs: 0, pick }
  })
}

const STUCK_RETRIES_IN = 6

/** In some runs webhooks fail while a dispatcher cannot reach the broker for longer than a publish waits: deliveries become overdue. */
function drawStuckRetries(random: Random, number: number): Fault[] {
  if (random.whole(STUCK_RETRIES_IN) !== 0) return []
  const [atMs, mode] = [random.between(2000, 9000), random.pick(['hang', 'fail'] as const)]
  const replica = { service: 'webhook-dispatcher', replica: random.pick(REPLICAS) } as const
  return [
    { kind: 'receivers', number, atMs, forMs: random.between(6000, 9000), mode },
    { kind: 'cut', number: number + 1, atMs: atMs + random.between(1000, 4000), forMs: 14_000, engine: 'rabbit', ...replica },
  ]
}

const KINDS = [
  ...(['crash', 'crash', 'crash', 'crash', 'pause', 'pause', 'stop', 'cut', 'reset', 'calls fail', 'calls fail'] as const),
  ...(['failover', 'failover', 'failover', 'member dies', 'broker node dies', 'broker node dies', 'broker blocked'] as const),
  ...(['receivers', 'receivers'] as const),
]

function drawFault(random: Random, number: number, withinMs: number) {
  const kind = random.pick(KINDS)
  const [atMs, forMs] = [random.whole(withinMs), random.between(200, 8000)]
  const replica = { service: random.pick(SERVICES), replica: random.pick(REPLICAS) }
  const times = { number, atMs, forMs }
  switch (kind) {
    case 'crash':
      return { kind, ...times, ...replica, call: random.between(1, 60), when: random.pick(['before', 'after'] as const) }
    case 'pause':
      return { kind, ...times, forMs: random.between(500, 25_000), ...replica }
    case 'stop':
      return { kind, ...times, ...replica }
    case 'cut':
    case 'reset':
      return { kind, ...times, ...replica, engine: random.pick(['mongo', 'rabbit'] as const) }
    case 'calls fail':
      return { kind, ...times, forMs: random.between(1000, 12_000), link: random.pick(OFTEN), share: random.pick([0.2, 0.5, 1]) }
    case 'failover':
      return {
        kind,
        ...times,
        stale: random.whole(2) === 0,
        times: random.pick([1, 1, 2, 4]),
        everyMs: random.between(300, 4500),
        slowMs: random.pick([0, 0, 300, 2000]),
      }
    case 'member dies':
      return { kind, ...times, member: random.whole(MEMBERS) }
    case 'broker node dies': {
      const slowMs = random.pick([0, 300, 1500])
      return { kind, ...times, forMs: slowMs + forMs, slowMs }
    }
    case 'broker blocked':
      return { kind, ...times }
    case 'receivers':
      return { kind, ...times, mode: random.pick(['hang', 'fail', 'reset'] as const) }
  }
}

/** One line, such as `3  12.3 s  pause 8.1 s  payment-status 2`. */
export function describeFault({ kind, number, atMs, forMs, ...rest }: Fault): string {
  const seconds = (ms: number) => (ms / 1000).toFixed(1)
  return `${String(number).padStart(2)}  ${seconds(atMs).padStart(5)} s  ${kind} ${seconds(forMs)} s  ${Object.values(rest).flat().join(' ')}`.trimEnd()
}
