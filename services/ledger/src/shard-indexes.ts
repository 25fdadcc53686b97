/** Builds the indexes that only a sharded database needs, and prints the commands that shard it (docs/scaling.md). */
import { runShardStep } from '@gateway/service-kit/mongo'
import { DATABASE_NAME } from './config.ts'

await runShardStep('ledger', DATABASE_NAME)
