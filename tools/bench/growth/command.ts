import { join } from 'node:path'
import { ensureSecrets } from '@gateway-infra/local/secrets'
import { stackFile } from '@gateway-infra/local/stack-file'
import type { Command } from '@gateway-infra/system/context'
import { ROOT } from '@gateway-infra/system/paths'
import { runCommand } from '@gateway-infra/system/run-command'
import { runThrough } from '@gateway-infra/system/run-through'
import { withMeasuredStack, type MeasuredStack } from '@gateway-tools/load/measured-stack'

/** Payments from the beginning of the run are not enquired again before its end. */
const ENV = { FINAL_ENQUIRY_DELAYS: '2h,24h' }

/**
 * Measures two stacks at once, one with few transactions stored and one with many, on the same database and broker: they take turns,
 * so both meet the same machine.
 */
const benchGrowth: Command = async (context, args) =>
  withMeasuredStack(context, { name: 'growth_large', env: ENV }, (large) => {
    const { mongo_url: MONGO_URL, amqp_url: AMQP_URL } = large.running.stack
    const beside = { ...context, env: { ...context.env, MONGO_URL, AMQP_URL } }
    return withMeasuredStack(beside, { name: 'growth_small', env: ENV }, (small) => {
      const env = { ...context.env, ...settings('LARGE', large), ...settings('SMALL', small) }
      const script = join(ROOT, 'tools/bench/growth/main.ts')
      return runThrough(process.execPath, [script, ...args], { cwd: ROOT, env, stopRequested: context.stopRequested })
    })
  })

/** Where the program that measures finds a stack. */
function settings(size: 'LARGE' | 'SMALL', { stateDir, prefixes }: MeasuredStack): Record<string, string> {
  return {
    [`${size}_STACK_FILE`]: stackFile(stateDir),
    [`${size}_STACK_LOGS`]: join(stateDir, 'logs'),
    [`${size}_DATABASE_PREFIX`]: prefixes.databasePrefix,
    [`${size}_CALLBACK_SECRET`]: ensureSecrets(stateDir).networkCallbackSecret,
  }
}

await runCommand(benchGrowth)
