/** A replica of payment-status as far as due work goes: its worker and its store, without a network. */
import type { mongo } from 'mongoose'
import { silentLog, startWorker } from '@gateway/service-kit'
import { connectDatabase } from '@gateway/service-kit/mongo'
import { serveProgram } from '@gateway-tools/load/program'
import { amend, unchanged } from '@gateway-services/payment-status/payments/domain/transition'
import { mongoTransactionStore } from '@gateway-services/payment-status/payments/persistence/transaction-store'
import { makeDueWork } from '@gateway-services/payment-status/payments/use-cases/due-work'

export type ReplicaFunctions = typeof functions

/** As `wiring.ts` starts the worker for due transactions. */
const IDLE_MS = 200
/** Nothing is put into the window: each transaction is saved at once, without a call of the network. */
const NO_CALLS = { maxRunning: 1, maxWaiting: 1, maxWaitMs: 1 } as const

/** What one replica did in one run. Times are in milliseconds since 1970, processor time in milliseconds. */
export interface ReplicaRun {
  readonly handled: readonly string[]
  /** Transactions that another replica changed while this one held them. */
  readonly overtaken: number
  readonly failures: readonly string[]
  /** Queries for what is due. */
  readonly looks: number
  /** Transactions that it wanted to claim, and those that it got. */
  readonly tried: number
  readonly won: number
  readonly startedMs: number
  readonly lastMs: number
  readonly cpuMs: number
}

interface Running {
  handled(): number
  stop(): Promise<ReplicaRun>
}

let running: Running | undefined

/** Starts the worker on a database of its own run. */
async function start(mongoUrl: string, name: string): Promise<void> {
  const database = await connectDatabase({ url: `${mongoUrl}/?monitorCommands=true`, name, log: silentLog })
  const claims = countClaims(database.connection.getClient())
  const store = mongoTransactionStore(database.connection, { submit: () => undefined }, () => undefined)
  const [handled, failures]: [string[], string[]] = [[], []]
  const [startedMs, cpu] = [Date.now(), process.cpuUsage()]
  let [overtaken, lastMs] = [0, startedMs]
  const now = () => new Date()
  const log = {
    ...silentLog,
    error: (message: string, fields?: object) => void failures.push(`${message} ${JSON.stringify(fields)}`),
  }
  const work = makeDueWork({
    name: 'due transaction',
    claim: (at, leaseMs, limit) => store.claimDue(at, leaseMs, limit),
    async prepare(claimed) {
      // As after the last enquiry: nothing is due any more.
      const isSaved = await store.save(claimed, amend(unchanged(claimed), now(), { enquiry: null }))
      if (isSaved) handled.push(claimed.id)
      else overtaken += 1
      lastMs = Date.now()
      return undefined
    },
    window: NO_CALLS,
    now,
    log,
  })
  const worker = startWorker({ name: 'due transactions', log, step: () => work.step(), idleMs: IDLE_MS })
  running = {
    handled: () => handled.length,
    async stop() {
      const { user, system } = process.cpuUsage(cpu)
      await worker.stop(0)
      await database.close()
      return { handled, overtaken, failures, ...claims, startedMs, lastMs, cpuMs: (user + system) / 1000 }
    },
  }
}

interface Sent {
  readonly find?: string
  readonly sort?: object
  readonly updates?: readonly { readonly q: { readonly _id: { readonly $in: readonly string[] } }; readonly multi?: boolean }[]
}

/** Counts what is sent, so that all ways to claim are counted alike: no other update is of several documents. */
function countClaims(client: mongo.MongoClient) {
  const counts = { looks: 0, tried: 0, won: 0 }
  const claims = new Set<number>()
  client.on('commandStarted', ({ command, requestId }) => {
    const { find, sort, updates }: Sent = command
    if (find !== undefined && sort !== undefined) counts.looks += 1
    const [claim] = updates ?? []
    if (claim?.multi !== true) return
    counts.tried += claim.q._id.$in.length
    claims.add(requestId)
  })
  client.on('commandSucceeded', ({ requestId, reply }) => {
    if (claims.delete(requestId)) counts.won += (reply as { nModified: number }).nModified
  })
  return counts
}

const functions = {
  start,
  handled: (): number => running?.handled() ?? 0,
  async stop(): Promise<ReplicaRun> {
    if (!running) throw new Error('the replica was not started')
    return running.stop()
  },
}

serveProgram(import.meta.filename, functions)
