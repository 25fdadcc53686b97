import type { Connection } from 'mongoose'
import { parseInstant } from '@gateway/contracts'
import { readIndexStep } from '../config/common.ts'
import { connectDatabase } from './database.ts'
import { withConfig } from '../process/lifecycle.ts'

/**
 * A service's `republish.ts <since>`: puts all events since an instant back into the outbox, so that the running replicas
 * publish them again (docs/operations/backup-and-restore.md).
 */
export async function runRepublishStep(options: {
  readonly service: string
  readonly databaseName: string
  readonly args: readonly string[]
  /** Resolves to the number of events. Calls `onWait` while it waits for replicas to publish. */
  readonly republish: (connection: Connection, since: Date, onWait: () => void) => Promise<number>
}): Promise<void> {
  const { service, databaseName, args, republish } = options
  const since = parseInstant(args[0] ?? '')
  if (args.length !== 1 || !since) {
    process.stderr.write('usage: republish.ts <time such as 2026-11-21T10:00:00Z>\n')
    process.exitCode = 2
    return
  }
  await withConfig(
    service,
    (env) => readIndexStep(env, databaseName),
    async ({ mongoUrl: url, database: name }, log) => {
      const database = await connectDatabase({ url, name, log })
      const say = (line: string): unknown => process.stdout.write(`${service}  ${line}\n`)
      try {
        const onWait = (): unknown => say('waits until its replicas have published some of them')
        const count = await republish(database.connection, since, onWait)
        say(`${count} events since ${since.toISOString()} are in the outbox again, for its replicas to publish`)
      } finally {
        await database.close()
      }
    },
  )
}
