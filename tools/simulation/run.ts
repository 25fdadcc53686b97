import { createFleet, type Fleet } from './actors/fleet.ts'
import { createMerchants, MERCHANT_IDS, type Merchants } from './actors/merchants.ts'
import { createPaymentNetwork, type PaymentNetwork } from './actors/network.ts'
import { createReceiver, type Receiver } from './actors/receiver.ts'
import { runJourneys } from './actors/journeys.ts'
import { useEngines } from './hooks/engines.ts'
import { Kernel } from './kernel/kernel.ts'
import { Network } from './kernel/network.ts'
import { SimulatedProcess } from './kernel/process.ts'
import { ReplicaSet } from './mongo/replica-set.ts'

export interface RunOptions {
  readonly seed: number
  readonly payments: number
  readonly onLine?: (line: string) => void
}

/** Everything of one simulated run. */
export interface SimulatedWorld {
  readonly kernel: Kernel
  readonly network: Network
  readonly database: ReplicaSet
  readonly fleet: Fleet
  readonly bank: PaymentNetwork
  readonly receiver: Receiver
  readonly merchants: Merchants
}

const LOAD_MS = 20_000
const START_WITHIN_MS = 60_000

export async function runSeed({ seed, payments, onLine }: RunOptions) {
  const kernel = new Kernel(seed)
  kernel.onLine = onLine
  const world = createWorld(kernel)
  const actors = new SimulatedProcess(kernel, 'merchants')
  let phase: 'starting' | 'running' | 'ended' = 'starting'
  actors.run(async () => {
    await world.fleet.start()
    for (const id of MERCHANT_IDS) world.receiver.serve(id, await world.merchants.register(id))
    phase = 'running'
    await runJourneys({ process: actors, ...world, payments, withinMs: LOAD_MS })
    phase = 'ended'
  })
  if (!(await kernel.runUntil(() => phase !== 'starting', kernel.startMs + START_WITHIN_MS))) throw new Error('the services did not start')
  await kernel.runUntil(() => phase === 'ended', kernel.nowMs + 120_000)
  await kernel.runUntil(() => false, kernel.nowMs + 60_000)
  return { digest: kernel.digest(), events: kernel.events, elapsedMs: kernel.elapsedMs, phase, world }
}

function createWorld(kernel: Kernel): SimulatedWorld {
  const network = new Network(kernel.world('http'))
  const database = new ReplicaSet(kernel.world('mongo'), { hosts: ['mongo-1:27017', 'mongo-2:27017', 'mongo-3:27017'] })
  useEngines(kernel, {
    network,
    connect: (process, host, port) => {
      const client = { name: process.name, run: (work: () => void) => process.deliver(work) }
      process.onEnd(() => database.vanish(process.name))
      return database.connect(client, `${host}:${port}`)
    },
  })
  const fleet = createFleet({ kernel, mongoUrl: database.url, skewOf: () => 0 })
  const bank = createPaymentNetwork(new SimulatedProcess(kernel, 'network'), network)
  const receiver = createReceiver(new SimulatedProcess(kernel, 'receiver'), network)
  const merchants = createMerchants(new SimulatedProcess(kernel, 'merchant'), network)
  return { kernel, network, database, fleet, bank, receiver, merchants }
}
