import { setTimeout as sleep } from 'node:timers/promises'
import mongoose, { type Connection } from 'mongoose'
import type { HealthCheck } from '../process/parts.ts'
import { describeError } from '../logging/describe-error.ts'
import type { Log } from '../logging/logger.ts'
import { isDatabaseAway } from '../errors/database-errors.ts'

// A command must fail at once when the database is away, not wait in an unbounded buffer.
mongoose.set('bufferCommands', false)
mongoose.set('autoCreate', false)
mongoose.set('autoIndex', false)
mongoose.set('strictQuery', 'throw')

/** How long a command waits for a reachable server, in milliseconds. */
const SERVER_SELECTION_TIMEOUT_MS = 2000
/**
 * How long connecting may take, in milliseconds. Commands give up earlier, but the driver's monitoring needs this long: with a
 * shorter limit it never finds the server of an overloaded machine again, and every command fails.
 */
const CONNECT_TIMEOUT_MS = 5000

export interface Database {
  readonly connection: Connection
  readonly check: HealthCheck
  close(): Promise<void>
}

/**
 * Connects to a service's own database, and keeps trying while it is away. A write is durable on a majority before it is
 * acknowledged, and a read returns only such writes: a failover undoes nothing that a service has decided or answered by (design,
 * section 3).
 */
export async function connectDatabase(options: { url: string; name: string; log: Log; maxPoolSize?: number }): Promise<Database> {
  const connection = mongoose.createConnection()
  for (let attempt = 1; ; attempt++) {
    try {
      await connection.openUri(options.url, {
        dbName: options.name,
        serverSelectionTimeoutMS: SERVER_SELECTION_TIMEOUT_MS,
        socketTimeoutMS: 10_000,
        connectTimeoutMS: CONNECT_TIMEOUT_MS,
        waitQueueTimeoutMS: 2000,
        maxPoolSize: options.maxPoolSize ?? 20,
        writeConcern: { w: 'majority', journal: true },
        readConcern: { level: 'majority' },
        readPreference: 'primary',
        bufferCommands: false,
      })
      break
    } catch (error) {
      options.log.warn('database unavailable, retrying', { attempt, error: describeError(error) })
      await new Promise((resolve) => setTimeout(resolve, Math.min(250 * attempt, 2000)))
    }
  }
  return {
    connection,
    check: { name: 'database', critical: true, isUp: () => ping(connection) },
    close: () => connection.close(),
  }
}

async function ping(connection: Connection): Promise<boolean> {
  const answer = await connection.db?.command({ ping: 1 }, { timeoutMS: 1500 })
  return answer?.['ok'] === 1
}

const PAUSE_MS = 500

/**
 * Does a step of the start that needs the database, and does it again while the database is away: a failover must not end a service
 * that is starting. Throws any other error.
 *
 * @param what for the log, such as `list indexes`
 */
export async function untilDatabaseAnswers<T>(
  step: () => Promise<T>,
  { what, log, pauseMs = PAUSE_MS }: { readonly what: string; readonly log: Pick<Log, 'warn'>; readonly pauseMs?: number },
): Promise<T> {
  for (;;) {
    try {
      return await step()
    } catch (error) {
      if (!isDatabaseAway(error)) throw error
      log.warn('database unavailable, retrying', { step: what, error: describeError(error) })
      await sleep(pauseMs)
    }
  }
}
