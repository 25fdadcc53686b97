/** Builds this service's indexes, records the partitions of a new deployment and ends. Run it before a new version starts and after a change of the retention. */
import { mongoPartitions } from '@gateway/partitions'
import { readIndexStep, readQueuePartitions, type EnvReader } from '@gateway/service-kit'
import { runIndexStep } from '@gateway/service-kit/mongo'
import { DATABASE_NAME, readRetentionMs } from './config.ts'
import { indexesFor } from './wiring/indexes.ts'

await runIndexStep(
  'webhook-dispatcher',
  (env: EnvReader) => ({
    ...readIndexStep(env, DATABASE_NAME),
    retentionMs: readRetentionMs(env),
    partitions: readQueuePartitions(env),
  }),
  indexesFor,
  (connection, { partitions }) => mongoPartitions(connection).begin(partitions),
)
