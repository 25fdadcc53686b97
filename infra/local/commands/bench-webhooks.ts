import { join } from 'node:path'
import { ROOT } from '../paths.ts'
import { runThrough } from '../system/run-through.ts'
import { withTemporaryBacking } from '../temporary-backing.ts'
import type { Command } from './context.ts'

/** Measures one dispatcher beside what its parts can do, and what hanging endpoints do to the others. */
export const benchWebhooks: Command = (context, args) =>
  withTemporaryBacking(context, async ({ mongoUrl, amqpUrl }) => {
    const env = { ...context.env, MONGO_URL: mongoUrl, AMQP_URL: amqpUrl }
    const script = join(ROOT, 'infra/bench/webhooks/main.ts')
    return runThrough(process.execPath, [script, ...args], { cwd: ROOT, env, stopRequested: context.stopRequested })
  })
