/** Builds this service's indexes, then ends. Run it before a new version of the service starts. */
import { readIndexStep } from '@gateway/service-kit'
import { runIndexStep } from '@gateway/service-kit/mongo'
import { DATABASE_NAME } from './config.ts'
import { indexesOf } from './persistence/indexes.ts'

await runIndexStep(
  'auth-token',
  (env) => readIndexStep(env, DATABASE_NAME),
  () => indexesOf,
)
