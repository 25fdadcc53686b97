/** Builds this service's indexes and ends. Run it before a new version starts and after a change of the retention. */
import { readIndexStep, type EnvReader } from '@gateway/service-kit'
import { runIndexStep } from '@gateway/service-kit/mongo'
import { DATABASE_NAME, readRetentionMs } from './config.ts'
import { indexesFor } from './wiring/indexes.ts'

await runIndexStep(
  'webhook-dispatcher',
  (env: EnvReader) => ({ ...readIndexStep(env, DATABASE_NAME), retentionMs: readRetentionMs(env) }),
  indexesFor,
)
