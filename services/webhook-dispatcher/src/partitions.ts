/** One step of `npm run partitions` in this service (docs/operations/partitions.md). */
import { runPartitionStep } from '@gateway/partitions'
import { DATABASE_NAME } from './config.ts'

await runPartitionStep('webhook-dispatcher', DATABASE_NAME)
