import type { Connection } from 'mongoose'
import { SHARD_KEYS, type ShardKey } from '@gateway/contracts'
import { readIndexStep } from '../config/common.ts'
import { withConfig } from '../process/lifecycle.ts'
import { connectDatabase } from './database.ts'
import { indexesIn } from './indexes.ts'

type ShardedService = keyof typeof SHARD_KEYS

/**
 * A service's `shard-indexes.ts`: builds the indexes of the shard keys and prints the commands that shard its collections
 * (docs/scaling.md, "Shard keys"). Without shards these indexes would only cost writes, so `build-indexes.ts` leaves them out.
 */
export async function runShardStep(service: ShardedService, databaseName: string): Promise<void> {
  await withConfig(
    service,
    (env) => readIndexStep(env, databaseName),
    async ({ mongoUrl: url, database: name }, log) => {
      const database = await connectDatabase({ url, name, log })
      try {
        for (const command of await buildShardIndexes(database.connection, service)) process.stdout.write(`${command}\n`)
      } finally {
        await database.close()
      }
    },
  )
}

/** Builds the missing indexes of a service's shard keys. Resolves to the commands for `mongosh` that shard its collections. */
export async function buildShardIndexes(connection: Connection, service: ShardedService): Promise<string[]> {
  const commands: string[] = []
  for (const [name, key] of Object.entries<ShardKey>(SHARD_KEYS[service])) {
    // Every collection has the first one, also one that does not exist yet.
    const existing = [{ _id: 1 }, ...(await indexesIn(connection, name)).map((index) => index.key)]
    if (!existing.some((index) => beginsWith(index, key)))
      await connection.collection(name).createIndex({ ...key }, { name: 'shard_key' }, {})
    commands.push(`sh.shardCollection(${JSON.stringify(`${connection.name}.${name}`)}, ${JSON.stringify(key)})`)
  }
  return commands
}

/** Whether an index can serve as that of a shard key: its first fields are those of the key. */
function beginsWith(index: unknown, key: ShardKey): boolean {
  const fields = typeof index === 'object' && index !== null ? Object.entries(index) : []
  return JSON.stringify(fields.slice(0, Object.keys(key).length)) === JSON.stringify(Object.entries(key))
}
