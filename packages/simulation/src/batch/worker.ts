/** A process that does jobs: `node worker.ts [bug]`. It becomes a simulated world, with a bug planted if one is named. */
import { findBug } from '../bugs/bugs.ts'
import { install } from '../hooks/install.ts'
import type { Job } from './work.ts'

const [, , bug] = process.argv
install(bug === undefined ? [] : [findBug(Number(bug))])
const { work } = await import('./work.ts')

process.on('message', (job: Job) => {
  work(job).then(
    (outcome) => process.send?.(outcome),
    (error: unknown) => {
      console.error(`seed ${job.seed}:`, error)
      process.exit(1)
    },
  )
})
process.send?.('ready')
