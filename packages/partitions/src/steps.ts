/** What `npm run partitions` does, decided from what the services say. Pure, and without the broker: the command starts faster. */
import type { BrokerService } from '@gateway/contracts'

/** What one replica says about itself; a service that does not consume, or not publish, leaves that number out. */
export interface ReplicaReport {
  readonly consumes?: number
  readonly publishes?: number
}

/** How far one service is, as its `partitions.ts state` prints it. */
export interface ServiceState {
  readonly service: BrokerService
  /** The number that it has recorded as consumed; absent for a service that only publishes. */
  readonly consumed?: number
  /** The number that it has recorded as open; absent for a service that only consumes. */
  readonly open?: number
  /** Of the replicas that are running. */
  readonly replicas: readonly ReplicaReport[]
  /** The partitions of its queues that exist on the broker. */
  readonly queues: readonly QueueState[]
}

export interface QueueState {
  readonly name: string
  readonly partition: number
  /** Those in the hands of consumers are not counted. */
  readonly messages: number
  readonly consumers: number
}

/**
 * `consume`: create the queues, record them, wait until every replica consumes them. `open`: record the number, bind what is open and
 * unbind the rest. `drain`: wait until the other partitions are empty, record the number, wait until no replica has a message of them,
 * delete their queues. `rest`: wait, so that nothing is on its way to a closed partition.
 */
export type Step = { readonly kind: 'consume' | 'open' | 'drain'; readonly service: BrokerService } | { readonly kind: 'rest' }

/** The steps to a number of partitions, from any state in which an earlier run may have ended; or why none may be taken now. */
export function stepsTo(partitions: number, states: readonly ServiceState[]): readonly Step[] | { readonly refused: string } {
  const late = states.find(({ replicas }) => replicas.some(({ publishes = 0 }) => publishes > partitions))
  if (late)
    return {
      refused:
        `A replica of ${late.service} publishes to more than ${partitions} partitions. ` +
        `Set QUEUE_PARTITIONS=${partitions} at order-api and payment-status, restart them, then run this again.`,
    }
  const consumers = states.filter(({ consumed }) => consumed !== undefined)
  const behind = consumers.filter((state) => numbersOf(state).some((number) => number < partitions))
  const beyond = consumers.filter(
    (state) =>
      numbersOf(state).some((number) => number > partitions) || state.queues.some(({ partition }) => partition >= partitions),
  )
  const step = (kind: 'consume' | 'open' | 'drain') => (state: ServiceState) => ({ kind, service: state.service })
  const open = states.filter((state) => state.open !== undefined).map(step('open'))
  const closing: Step[] = beyond.length > 0 ? [{ kind: 'rest' }, ...open, ...beyond.map(step('drain'))] : []
  return [...behind.map(step('consume')), ...open, ...closing]
}

/** Steps of one kind that follow one another. The services take them at once: each may have to wait a minute for a killed replica. */
export function roundsOf(steps: readonly Step[]): readonly (readonly Step[])[] {
  const rounds: Step[][] = []
  for (const step of steps) {
    const last = rounds.at(-1)
    if (last?.[0]?.kind === step.kind) last.push(step)
    else rounds.push([step])
  }
  return rounds
}

/** Every number of partitions that a consuming service and its replicas name. */
function numbersOf({ consumed = 1, replicas }: ServiceState): number[] {
  return [consumed, ...replicas.map(({ consumes = consumed }) => consumes)]
}

/** What the operator has to do when all steps are done; `undefined` when nothing is left. */
export function nextOf(partitions: number, states: readonly ServiceState[]): string | undefined {
  const fewer = states.some(({ replicas }) => replicas.some(({ publishes = partitions }) => publishes < partitions))
  return fewer
    ? `Partitions 0 to ${partitions - 1} are open. Set QUEUE_PARTITIONS=${partitions} at order-api and payment-status and restart them.`
    : undefined
}

/** One line on each service, and one on each queue. */
export function describeStates(states: readonly ServiceState[]): string[] {
  return states.flatMap(({ service, consumed, open, replicas, queues }) => {
    const consuming = replicas.filter(({ consumes }) => consumes === consumed).length
    const publishing = [...new Set(replicas.flatMap(({ publishes }) => publishes ?? []))].toSorted((one, other) => one - other)
    const parts = [
      ...(consumed === undefined ? [] : [`consumed ${consumed}, by ${consuming} of ${replicas.length} replicas`]),
      ...(open === undefined ? [] : [`open ${open}, published to ${publishing.join(' and ') || 'by no replica'}`]),
    ]
    const lines = queues.map(
      ({ name, messages, consumers }) => `  ${name.padEnd(40)} ${messages} messages, ${consumers} consumers`,
    )
    return [`${service.padEnd(20)} ${parts.join('; ')}`, ...lines]
  })
}
