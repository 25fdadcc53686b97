import { setTimeout as sleep } from 'node:timers/promises'
import { PARTITION_COUNTS, Unavailable, type BrokerService } from '@gateway/contracts'
import { connectBroker, createQueueAdmin, eventTopology } from '@gateway/messaging'
import { readBroker, readIndexStep, withConfig } from '@gateway/service-kit'
import { connectDatabase } from '@gateway/service-kit/mongo'
import { makePartitionOperator } from './operate.ts'
import { mongoPartitions } from './store.ts'

const USAGE =
  'usage: partitions.ts state | consume <partitions> | open <partitions> | drain <partitions>; run by npm run partitions'
const BROKER_WITHIN_MS = 30_000
const DEADLINE_MS = 5 * 60_000

/** A service's `partitions.ts`: one step of `npm run partitions` (docs/operations/partitions.md). Exit code 1: run it again. */
export async function runPartitionStep(service: BrokerService, databaseName: string): Promise<void> {
  const [kind = '', count, ...more] = process.argv.slice(2)
  const partitions = PARTITION_COUNTS.find((one) => String(one) === count)
  const asks = (kind === 'consume' || kind === 'open' || kind === 'drain') && partitions !== undefined ? kind : undefined
  if (more.length > 0 || (asks === undefined && (kind !== 'state' || count !== undefined))) {
    process.stderr.write(`${USAGE}\n`)
    process.exitCode = 2
    return
  }
  await withConfig(
    service,
    (env) => ({ ...readIndexStep(env, databaseName), ...readBroker(env) }),
    async ({ mongoUrl, database: name, amqpUrl, amqpPrefix }, log) => {
      const database = await connectDatabase({ url: mongoUrl, name, log })
      const broker = connectBroker({ url: amqpUrl, name: `${service} partitions`, service, log })
      try {
        await Promise.race([broker.consuming.connected(), brokerIsAway()])
        const operator = makePartitionOperator({
          ...{ service, store: mongoPartitions(database.connection), admin: createQueueAdmin(broker) },
          ...{ topology: eventTopology(amqpPrefix), now: () => new Date(), deadlineMs: DEADLINE_MS },
          say: (line) => void process.stdout.write(`${service}  ${line}\n`),
        })
        if (asks === undefined || partitions === undefined) process.stdout.write(`${JSON.stringify(await operator.state())}\n`)
        else process.exitCode = (await operator[asks](partitions)) ? 0 : 1
      } finally {
        await broker.close()
        await database.close()
      }
    },
  )
}

async function brokerIsAway(): Promise<never> {
  await sleep(BROKER_WITHIN_MS, undefined, { ref: false })
  throw new Unavailable('broker_unavailable', 'The broker is unavailable; try again')
}
