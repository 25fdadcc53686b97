/** Builds this service's indexes, then exits. Run it before a new version starts. */
import { readIndexStep } from '@gateway/service-kit'
import { runIndexStep } from '@gateway/service-kit/mongo'
import { DATABASE_NAME } from './config.ts'
import { indexesOf } from './persistence/indexes.ts'

await runIndexStep(
  'network-simulator',
  (env) => readIndexStep(env, DATABASE_NAME),
  () => indexesOf,
)
