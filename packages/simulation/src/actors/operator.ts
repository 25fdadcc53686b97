import { setTimeout as sleep } from 'node:timers/promises'
import { connectBroker, createQueueAdmin, eventTopology } from '@gateway/messaging'
import { makePartitionOperator, mongoPartitions } from '@gateway/partitions'
import { stepsTo } from '@gateway/partitions/steps'
import { connectDatabase } from '@gateway/service-kit/mongo'
import type { Kernel } from '../kernel/kernel.ts'
import { SimulatedProcess } from '../kernel/process.ts'
import type { Random } from '../kernel/random.ts'
import { PUBLISHERS, REPLICAS, SERVICES, type EngineUrls, type ServiceName } from './configs.ts'
import { logOf, type Fleet } from './fleet.ts'

type PartitionOperator = ReturnType<typeof makePartitionOperator>

const DEADLINE_MS = 20_000
const AGAIN_MS = 1000
const MAX_CALLS = 120

interface OperatorOptions {
  readonly kernel: Kernel
  readonly urls: EngineUrls
  readonly fleet: Fleet
  readonly random: Random
  /** Nothing is on its way to a closed partition after so long. */
  readonly restMs: number
}

/**
 * Changes the number of partitions, one after the other. `npm run partitions` is the services' own code for each step; it dies at some call,
 * and is run again. Publishers are replaced one by one: after more partitions are open, and before some are closed.
 */
export function createOperator(numbers: readonly number[], options: OperatorOptions) {
  const { fleet, random } = options
  let [isDone, current] = [numbers.length === 0, fleet.partitions]

  async function run(): Promise<void> {
    for (const partitions of numbers) {
      await sleep(random.between(500, 3000))
      if (partitions > current) await runCommand(partitions, options)
      await replacePublishers(partitions)
      if (partitions < current) await runCommand(partitions, options)
      current = partitions
    }
    isDone = true
  }

  async function replacePublishers(partitions: number): Promise<void> {
    for (const service of PUBLISHERS) {
      for (const replica of REPLICAS) {
        fleet.publishTo(service, replica, partitions)
        await sleep(random.between(200, 2500))
      }
    }
  }

  return {
    run,
    /** True when the last number is reached. */
    get isDone(): boolean {
      return isDone
    },
    /** The number that was reached last. */
    get partitions(): number {
      return current
    },
  }
}

/** Runs the command until it is through. */
async function runCommand(partitions: number, { kernel, random, ...options }: OperatorOptions): Promise<void> {
  const state = { isDone: false }
  while (!state.isDone) {
    const process = new SimulatedProcess(kernel, 'operator', { life: random.whole(2 ** 20) })
    if (random.whole(2) === 0) process.crashAtCall(random.between(1, MAX_CALLS), random.pick(['before', 'after'] as const))
    const ended = new Promise<void>((resolve) => process.onEnd(() => resolve()))
    const ran = process.run(() => command(partitions, process, options).then(() => (state.isDone = true)))
    await Promise.race([ran, ended])
    process.end('exits')
  }
}

async function command(
  partitions: number,
  process: SimulatedProcess,
  { urls, restMs }: Pick<OperatorOptions, 'urls' | 'restMs'>,
): Promise<void> {
  const at = <T>(service: ServiceName, work: (operator: PartitionOperator) => Promise<T>) =>
    atService(service, process, urls, work)
  for (;;) {
    try {
      const steps = stepsTo(partitions, await Promise.all(SERVICES.map((service) => at(service, (operator) => operator.state()))))
      if ('refused' in steps) throw new Error(steps.refused)
      let isDone = true
      for (const step of steps) {
        if (step.kind === 'rest') await sleep(restMs)
        else isDone &&= await at(step.service as ServiceName, (operator) => operator[step.kind](partitions))
      }
      if (isDone) return
    } catch (error) {
      process.kernel.trace(process.name, `fails: ${error instanceof Error ? error.message : String(error)}`)
    }
    await sleep(AGAIN_MS)
  }
}

/** Does one step with a service's own database and user of the broker. */
async function atService<T>(
  service: ServiceName,
  process: SimulatedProcess,
  { mongo, amqp }: EngineUrls,
  work: (operator: PartitionOperator) => Promise<T>,
): Promise<T> {
  const log = logOf(process)
  const database = await connectDatabase({ url: mongo, name: service.replaceAll('-', '_'), log })
  const broker = connectBroker({ url: amqp, name: 'partitions', service, log })
  try {
    await broker.consuming.connected()
    const operator = makePartitionOperator({
      ...{ service, store: mongoPartitions(database.connection), admin: createQueueAdmin(broker), topology: eventTopology('') },
      ...{ say: (line) => kernelSays(process, `${service}: ${line}`), now: () => new Date(), deadlineMs: DEADLINE_MS },
    })
    return await work(operator)
  } finally {
    await broker.close()
    await database.close()
  }
}

function kernelSays({ kernel, name }: SimulatedProcess, line: string): void {
  kernel.trace(name, line)
}
