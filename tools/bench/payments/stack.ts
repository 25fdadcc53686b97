import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { mongo } from 'mongoose'
import type { Stack } from '@gateway-infra/local/stack-file'
import type { MeasuredStack } from '@gateway-tools/load/measured-stack'
import { openMerchantLoad, type MerchantLoad } from '@gateway-tools/load/merchant-load'
import { createMerchants, type Merchant } from '@gateway-tools/load/merchants'
import { openProgram, type Program } from '@gateway-tools/load/program'
import { openReceiver, type Receiver } from '@gateway-tools/load/receiver'
import type { LimitFunctions } from './limit.ts'

/** The stack that is measured, and the programs around it. */
export interface Bench {
  readonly stack: Stack
  readonly stateDir: string
  readonly databasePrefix: string
  readonly logDir: string
  readonly load: MerchantLoad
  readonly receiver: Receiver
  readonly limit: Program<LimitFunctions>
  /** Their webhooks all go to the receiver's first URL. */
  readonly merchants: readonly Merchant[]
  close(): Promise<void>
}

export async function openBench({ running: { stack }, stateDir, prefixes }: MeasuredStack, merchantCount = 20): Promise<Bench> {
  const ca = { cert: readFileSync(stack.ca_file, 'utf8'), key: readFileSync(stack.ca_key_file, 'utf8') }
  const [load, receiver] = [openMerchantLoad(), await openReceiver(ca)]
  const limit = openProgram<LimitFunctions>(`${import.meta.dirname}/limit.ts`)
  const merchants = await createMerchants(stack, merchantCount, receiver.urls[0] ?? '')
  const logDir = join(stateDir, 'logs')
  const bench: Bench = {
    ...{ stack, stateDir, databasePrefix: prefixes.databasePrefix, logDir, load, receiver, limit, merchants },
    async close() {
      await Promise.all([load, receiver, limit].map((program) => program.close()))
    },
  }
  await putLoadOn(bench, { baseUrl: stack.base_url, networkUrl: stack.network_url })
  return bench
}

/** From now on the merchants call these URLs; orders from before are forgotten. */
export async function putLoadOn({ load, merchants }: Bench, urls: { baseUrl: string; networkUrl: string }): Promise<void> {
  await load.call('setup', { ...urls, merchants })
}

/** The events of transactions' `sequence`-th statuses. */
export function eventIds(transactionIds: readonly string[], sequence: number): string[] {
  return transactionIds.map((id) => `${id}.${sequence}`)
}

/** Does `work` with a collection of one of this stack's services. */
export async function withCollection<T>(
  { stack, databasePrefix }: Pick<Bench, 'stack' | 'databasePrefix'>,
  [database, collection]: readonly [database: string, collection: string],
  work: (collection: mongo.Collection) => Promise<T>,
): Promise<T> {
  const client = await new mongo.MongoClient(stack.mongo_url).connect()
  try {
    return await work(client.db(databasePrefix + database).collection(collection))
  } finally {
    await client.close()
  }
}
