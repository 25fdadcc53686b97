/** Builds this service's indexes, then ends. Run it before a new version starts (docs/operations/deploying.md). */
import { readIndexStep } from '@gateway/service-kit'
import { runIndexStep } from '@gateway/service-kit/mongo'
import { DATABASE_NAME } from './config.ts'
import { indexesOf } from './persistence/order-document.ts'

await runIndexStep(
  'order-api',
  (env) => readIndexStep(env, DATABASE_NAME),
  () => indexesOf,
)
