/** `republish.ts <since>`: publishes every status change since then again. */
import { runRepublishStep } from '@gateway/service-kit/mongo'
import { DATABASE_NAME } from './config.ts'
import { republishChanges } from './exports/index.ts'

await runRepublishStep({
  service: 'payment-status',
  databaseName: DATABASE_NAME,
  args: process.argv.slice(2),
  republish: republishChanges,
})
