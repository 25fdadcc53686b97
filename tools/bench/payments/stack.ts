import { readFileSync } from 'node:fs'
import { mongo } from 'mongoose'
import type { Stack } from '@gateway-infra/local/stack-file'
import { openMerchantLoad, type MerchantLoadSetup } from '@gateway-tools/load/merchant-load'
import { createMerchants, type Merchant } from '@gateway-tools/load/merchants'
import { openProgram, type Program } from '@gateway-tools/load/program'
import { openReceiver, type Receiver } from '@gateway-tools/load/receiver'
import type { LoadProgram } from '@gateway-tools/load/serve-load'
import type { LimitAnswer, LimitCommand } from './limit.ts'

/** The stack that is measured, and the programs around it. */
export interface Bench {
  readonly stackFile: string
  readonly stack: Stack
  readonly databasePrefix: string
  readonly logDir: string
  readonly load: LoadProgram<MerchantLoadSetup>
  readonly receiver: Receiver
  readonly limit: Program<LimitCommand, LimitAnswer>
  /** All of them want their webhooks at the receiver's first URL. */
  readonly merchants: readonly Merchant[]
  close(): Promise<void>
}

const MERCHANTS = 20

export async function openBench(options: { stackFile: string; logDir: string; databasePrefix: string }): Promise<Bench> {
  const stack = readStack(options.stackFile)
  const ca = { cert: readFileSync(stack.ca_file, 'utf8'), key: readFileSync(stack.ca_key_file, 'utf8') }
  const [load, receiver] = [openMerchantLoad(), await openReceiver(ca)]
  const limit = openProgram<LimitCommand, LimitAnswer>(`${import.meta.dirname}/limit.ts`)
  const merchants = await createMerchants(stack, MERCHANTS, receiver.urls[0] ?? '')
  const bench: Bench = {
    ...options,
    stack,
    load,
    receiver,
    limit,
    merchants,
    async close() {
      await limit.call({ kind: 'remove' }).catch(() => undefined)
      await Promise.all([load, receiver, limit].map((program) => program.close()))
    },
  }
  await putLoadOn(bench, { baseUrl: stack.base_url, networkUrl: stack.network_url })
  return bench
}

/** From now on the merchants call these URLs; orders from before are forgotten. */
export async function putLoadOn({ load, merchants }: Bench, urls: { baseUrl: string; networkUrl: string }): Promise<void> {
  await load.call({ kind: 'setup', setup: { ...urls, merchants } })
}

/** As it is now: a service that was started again has another pid. */
export function readStack(stackFile: string): Stack {
  // Only the local stack writes this file.
  return JSON.parse(readFileSync(stackFile, 'utf8')) as Stack
}

/** The events of transactions' `sequence`-th statuses. */
export function eventIds(transactionIds: readonly string[], sequence: number): string[] {
  return transactionIds.map((id) => `${id}.${sequence}`)
}

/** Any document that a service of this stack has stored; `undefined` when there is none. */
export async function anyStored(
  { stack, databasePrefix }: Bench,
  [database, collection]: readonly [database: string, collection: string],
  filter: mongo.Document = {},
): Promise<mongo.Document | undefined> {
  const client = await new mongo.MongoClient(stack.mongo_url).connect()
  const document = await client
    .db(databasePrefix + database)
    .collection(collection)
    .findOne(filter)
  await client.close()
  return document ?? undefined
}
