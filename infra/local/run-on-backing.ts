import { join } from 'node:path'
import type { Command } from '@gateway-infra/system/context'
import { ROOT } from '@gateway-infra/system/paths'
import { runThrough } from '@gateway-infra/system/run-through'
import { withTemporaryBacking } from './temporary-backing.ts'

/**
 * A command that runs a program on a database and a broker: those of the environment, else temporary ones.
 * The program starts once `ready` has resolved. It reads `MONGO_URL` and `AMQP_URL`; `BACKING` says what kind they are (`given`, `docker` or `native`).
 */
export function runOnBacking(script: string, ready?: Promise<unknown>): Command {
  return (context, args) =>
    withTemporaryBacking(context, async ({ mongoUrl, amqpUrl, kind }) => {
      await ready
      const env = { ...context.env, MONGO_URL: mongoUrl, AMQP_URL: amqpUrl, BACKING: kind }
      return runThrough(process.execPath, [join(ROOT, script), ...args], { cwd: ROOT, env, stopRequested: context.stopRequested })
    })
}
