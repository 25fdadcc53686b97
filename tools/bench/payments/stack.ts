import { readFileSync } from 'node:fs'
import { mongo } from 'mongoose'
import { issueServerCertificate } from '@gateway/testkit/certificates'
import { commandLineOf, listenerOf, type CpuGroup } from './cpu.ts'
import type { LimitAnswer, LimitCommand } from './limit.ts'
import type { LoadAnswer, LoadCommand } from './load.ts'
import { openProgram, type Program } from './program.ts'
import type { ReceiverAnswer, ReceiverCommand } from './receiver.ts'
import { createMerchants, type BenchMerchant } from './merchants.ts'

/** What `npm start` wrote about the stack that is measured. */
export interface StackDescription {
  readonly base_url: string
  readonly network_url: string
  readonly ca_file: string
  readonly ca_key_file: string
  readonly mongo_url: string
  readonly amqp_url: string
  readonly operator: { readonly url: string; readonly token: string }
  readonly services: Readonly<Record<string, { readonly pid: number; readonly url: string }>>
}

/** The stack, the programs around it, and the processes whose CPU time is counted. */
export interface Bench {
  readonly stackFile: string
  readonly stack: StackDescription
  readonly databasePrefix: string
  readonly logDir: string
  readonly load: Program<LoadCommand, LoadAnswer>
  readonly receiver: Program<ReceiverCommand, ReceiverAnswer>
  readonly limit: Program<LimitCommand, LimitAnswer>
  readonly groups: readonly CpuGroup[]
  readonly merchants: readonly BenchMerchant[]
  /** Where all of them want their webhooks. */
  readonly webhookUrl: string
  close(): Promise<void>
}

const MERCHANTS = 20

export async function openBench(options: { stackFile: string; logDir: string; databasePrefix: string }): Promise<Bench> {
  const stack = readStack(options.stackFile)
  const load = openProgram<LoadCommand, LoadAnswer>(`${import.meta.dirname}/load.ts`)
  const receiver = openProgram<ReceiverCommand, ReceiverAnswer>(`${import.meta.dirname}/receiver.ts`)
  const limit = openProgram<LimitCommand, LimitAnswer>(`${import.meta.dirname}/limit.ts`)

  const ca = { cert: readFileSync(stack.ca_file, 'utf8'), key: readFileSync(stack.ca_key_file, 'utf8') }
  const certificate = await issueServerCertificate({ ca, hosts: ['localhost', '127.0.0.1'] })
  const { port } = await receiver.call({ kind: 'listen', certificate })
  const webhookUrl = `https://localhost:${port}/webhooks`
  const merchants = await createMerchants(stack, MERCHANTS, webhookUrl)
  await load.call({ kind: 'setup', baseUrl: stack.base_url, networkUrl: stack.network_url, merchants })
  return {
    ...options,
    stack,
    load,
    receiver,
    limit,
    merchants,
    webhookUrl,
    groups: [...groupsOf(stack), { name: 'load', pid: load.pid }, { name: 'receiver', pid: receiver.pid }],
    async close() {
      await limit.call({ kind: 'remove' }).catch(() => undefined)
      await Promise.all([load, receiver, limit].map((program) => program.close()))
    },
  }
}

/** As it is now: a service that was started again has another pid. */
export function readStack(stackFile: string): StackDescription {
  // Only `npm start` writes this file.
  return JSON.parse(readFileSync(stackFile, 'utf8')) as StackDescription
}

/** The limit's documents are as large as an order is when it is stored, its event included. */
export async function connectLimit({ stack, databasePrefix, limit }: Bench): Promise<number> {
  const client = await new mongo.MongoClient(stack.mongo_url).connect()
  const order = await client.db(`${databasePrefix}order_api`).collection('orders').findOne()
  await client.close()
  if (!order) throw new Error('there is no order whose size could be measured')
  const { customer: _customer, ...published } = order
  const documentBytes = mongo.BSON.calculateObjectSize(order) + JSON.stringify(published).length
  await limit.call({ kind: 'connect', mongoUrl: stack.mongo_url, database: `${databasePrefix}limit`, documentBytes })
  return documentBytes
}

/** Services by their pid; database and broker by the port they listen on, when they run on this machine. */
function groupsOf({ services, mongo_url: mongoUrl, amqp_url: amqpUrl }: StackDescription): CpuGroup[] {
  const ferretdb = listenerOf(Number(new URL(mongoUrl).port))
  const postgresPort = /--postgresql-url=\S*?:(\d+)\//u.exec(commandLineOf(ferretdb ?? 0))?.[1]
  const [postgres, broker] = [listenerOf(Number(postgresPort)), listenerOf(Number(new URL(amqpUrl).port))]
  return [
    ...Object.entries(services).map(([name, { pid }]) => ({ name, pid })),
    ...(ferretdb === undefined ? [] : [{ name: 'ferretdb', pid: ferretdb }]),
    ...(postgres === undefined ? [] : [{ name: 'postgres', pid: postgres, withChildren: true }]),
    ...(broker === undefined ? [] : [{ name: 'rabbitmq', pid: broker }]),
  ]
}
