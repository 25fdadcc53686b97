/**
 * `npm run bench:queues [-- --quick]`: messages a second through 1, 2, 4 and 8 quorum queues of one broker, and what a message costs the
 * clients and the broker. Its last line is one JSON object (docs/scaling.md).
 */
import { parseArgs } from 'node:util'
import { withTemporaryBacking } from '@gateway-infra/local/temporary-backing'
import { runCommand, type Command } from '@gateway-infra/system/command'
import { processorMs } from '@gateway-infra/system/processes'
import { describeMachine } from '@gateway-tools/load/machine'
import { openProgram, type Program } from '@gateway-tools/load/program'
import { median, rounded, sum } from '@gateway-tools/load/statistics'
import { enginesOf } from '../payments/cpu.ts'
import type { ClientFunctions, QueuesOptions } from './client.ts'

const QUEUES = [1, 2, 4, 8]
const WHOLE = { messages: 100_000, rounds: 5 }
const QUICK = { messages: 20_000, rounds: 1 }

/** Two processes, and the broker's processor time until now, in milliseconds. */
interface World {
  readonly publisher: Program<ClientFunctions>
  readonly consumer: Program<ClientFunctions>
  readonly brokerMs: () => number
}

type Client = Awaited<ReturnType<ClientFunctions['publish']>>

/** The same number of messages: published while no one consumes, consumed from full queues, and both at once. */
const WAYS: Readonly<Record<string, (world: World, options: QueuesOptions) => Promise<Client[]>>> = {
  publish: async ({ publisher }, options) => [await publisher.call('publish', options)],
  consume: async ({ consumer }, options) => [await consumer.call('consume', options)],
  through: ({ publisher, consumer }, options) =>
    Promise.all([publisher.call('publish', options), consumer.call('consume', options)]),
}

type Figure = 'per_second' | 'client_us' | 'broker_us'
type Figures = Readonly<Record<Figure, number>>

/** Numbers of queues in turns, so that all meet the same machine; the median of the rounds counts. */
async function measure(world: World, amqpUrl: string, { messages, rounds }: typeof WHOLE) {
  const all: (Figures & { way: string; queues: number })[] = []
  for (let round = 0; round <= rounds; round++)
    for (const count of QUEUES) {
      const queues = Array.from({ length: count }, (_, index) => `bench.${process.pid}.${index}`)
      const options = { amqpUrl, queues, messages }
      await world.publisher.call('declare', options)
      for (const [way, run] of Object.entries(WAYS)) {
        const figures = await measureOnce(world, messages, () => run(world, options))
        console.error(`${round === 0 ? 'warming up' : `round ${round}`}, ${count} queues, ${way}:`, figures)
        if (round > 0) all.push({ way, queues: count, ...figures })
      }
      await world.publisher.call('remove', options)
    }
  const medianOf = (runs: typeof all, figure: Figure) => rounded(median(runs.map((run) => run[figure])))
  return [...Map.groupBy(all, ({ way, queues }) => `${way}_${queues}`)].map(([name, runs]): [string, Figures] => [
    name,
    { per_second: medianOf(runs, 'per_second'), client_us: medianOf(runs, 'client_us'), broker_us: medianOf(runs, 'broker_us') },
  ])
}

/** The slower client counts for the rate; microseconds of processor time are those of a message. */
async function measureOnce({ brokerMs }: World, messages: number, run: () => Promise<Client[]>): Promise<Figures> {
  const before = brokerMs()
  const clients = await run()
  const usedMs = brokerMs() - before
  const [tookMs, cpuMs] = [Math.max(...clients.map((client) => client.tookMs)), sum(clients.map((client) => client.cpuMs))]
  const perMessage = (ms: number) => rounded((ms * 1000) / messages)
  return { per_second: rounded((messages * 1000) / tookMs), client_us: perMessage(cpuMs), broker_us: perMessage(usedMs) }
}

const command: Command = (context, args) => {
  const { quick = false } = parseArgs({ args: [...args], options: { quick: { type: 'boolean' } } }).values
  return withTemporaryBacking(context, async ({ mongoUrl, amqpUrl }, stateDir) => {
    const broker = enginesOf({ stateDir }).filter(({ name }) => name === 'rabbitmq')
    const open = () => openProgram<ClientFunctions>(`${import.meta.dirname}/client.ts`)
    const world = { publisher: open(), consumer: open(), brokerMs: () => processorMs(broker.map(({ pid }) => pid)) }
    try {
      const figures = await measure(world, amqpUrl, quick ? QUICK : WHOLE)
      console.log(JSON.stringify({ ...Object.fromEntries(figures), ...(await describeMachine(mongoUrl, amqpUrl)) }))
      return 0
    } finally {
      await Promise.all([world.publisher.close(), world.consumer.close()])
    }
  })
}

await runCommand(command)
