import { join } from 'node:path'
import { mongo } from 'mongoose'
import type { Context } from '@gateway-infra/system/command'
import { rounded } from '@gateway-tools/load/statistics'
import { withMeasuredStack, type MeasuredStack } from '@gateway-tools/load/measured-stack'
import { openLoad } from '@gateway-tools/load/merchants'
import { openProgram } from '@gateway-tools/load/program'
import { unlessStopped } from '@gateway-infra/system/stopping'
import type { LimitFunctions } from './limit.ts'

/** The stack that is measured, and the programs around it. */
export type Bench = Awaited<ReturnType<typeof openBench>>

/** Runs `work` on a stack of its own, with merchants whose webhooks all go to the receiver's first URL. */
export function withBench<T>(
  context: Context,
  { merchants = 20, ...options }: { name: string; env: Readonly<Record<string, string>>; merchants?: number },
  work: (bench: Bench) => Promise<T>,
): Promise<T> {
  return withMeasuredStack(context, options, async (measured) => {
    const bench = await openBench(measured, merchants)
    try {
      return await unlessStopped(() => work(bench))
    } finally {
      await Promise.all([bench.close(), bench.limit.close()])
    }
  })
}

async function openBench({ running: { stack }, stateDir, prefixes: { databasePrefix } }: MeasuredStack, merchants: number) {
  const limit = openProgram<LimitFunctions>(`${import.meta.dirname}/limit.ts`)
  return { stack, stateDir, databasePrefix, logDir: join(stateDir, 'logs'), limit, ...(await openLoad(stack, merchants)) }
}

/** The events of transactions' `sequence`-th statuses. */
export function eventIds(transactionIds: readonly string[], sequence: number): string[] {
  return transactionIds.map((id) => `${id}.${sequence}`)
}

/** Does `work` with a collection of one of this stack's services. */
export async function withCollection<T, Stored extends mongo.Document = mongo.Document>(
  { stack, databasePrefix }: Pick<Bench, 'stack' | 'databasePrefix'>,
  [database, collection]: readonly [database: string, collection: string],
  work: (collection: mongo.Collection<Stored>) => Promise<T>,
): Promise<T> {
  const client = await new mongo.MongoClient(stack.mongo_url).connect()
  try {
    return await work(client.db(databasePrefix + database).collection<Stored>(collection))
  } finally {
    await client.close()
  }
}

const LONGEST_LIST_TOLD = 20

/** One line of progress, with the length of a long list in its place. The last line of the bench has the figures that count. */
export function tell(what: string, figures: object): void {
  const shortened = (_key: string, value: unknown): unknown => {
    if (Array.isArray(value) && value.length > LONGEST_LIST_TOLD) return value.length
    return typeof value === 'number' ? rounded(value) : value
  }
  console.log(`${what}: ${JSON.stringify(figures, shortened)}\n`)
}
