/** Builds this service's indexes and records the partitions of a new deployment, then ends. Run it before a new version starts (docs/operations/deploying.md). */
import { mongoPartitions } from '@gateway/partitions'
import { readIndexStep, readQueuePartitions, type EnvReader } from '@gateway/service-kit'
import { runIndexStep } from '@gateway/service-kit/mongo'
import { DATABASE_NAME } from './config.ts'
import { indexesOf } from './indexes.ts'

await runIndexStep(
  'ledger',
  (env: EnvReader) => ({ ...readIndexStep(env, DATABASE_NAME), partitions: readQueuePartitions(env) }),
  () => indexesOf,
  (connection, { partitions }) => mongoPartitions(connection).begin(partitions),
)
