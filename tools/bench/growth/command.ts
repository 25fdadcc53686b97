import { join } from 'node:path'
import { removeNames } from '../payments/remove-names.ts'
import { ROOT } from '@gateway-infra/system/paths'
import { choosePorts } from '@gateway-infra/system/ports'
import { ensureSecrets } from '@gateway-infra/local/secrets'
import { stackFile } from '@gateway-infra/local/stack-file'
import { startStack, type RunningStack } from '@gateway-infra/local/stack'
import { runThrough } from '@gateway-infra/system/run-through'
import { withTemporaryState } from '@gateway-infra/local/temporary-state'
import type { Command, Context } from '@gateway-infra/system/context'
import { runCommand } from '@gateway-infra/system/run-command'

type Size = 'small' | 'large'

/** As for `npm run bench`; and what was paid at the beginning is not enquired again before the end. */
const DEFAULTS = {
  STACK_PORTS: 'auto',
  FINAL_ENQUIRY_DELAYS: '2h,24h',
  RATE_LIMIT_CREATE_PER_SECOND: '0',
  RATE_LIMIT_READ_PER_SECOND: '0',
  RATE_LIMIT_ANONYMOUS_PER_SECOND: '0',
}

/**
 * Measures two stacks at once, one with few transactions stored and one with many, on the same database and broker: taking turns,
 * both meet the same machine. Both are gone afterwards.
 */
const benchGrowth: Command = async (context, args) =>
  withStack(context, 'large', async (large, largeDir) => {
    // The second one uses what the first one started.
    const { mongo_url: MONGO_URL, amqp_url: AMQP_URL } = large.stack
    const beside = { ...context, env: { ...context.env, MONGO_URL, AMQP_URL } }
    return withStack(beside, 'small', async (_small, smallDir) => {
      const env = { ...context.env, ...settings('large', largeDir), ...settings('small', smallDir) }
      const script = join(ROOT, 'tools/bench/growth/main.ts')
      return runThrough(process.execPath, [script, ...args], { cwd: ROOT, env, stopRequested: context.stopRequested })
    })
  })

async function withStack(
  context: Context,
  size: Size,
  work: (running: RunningStack, stateDir: string) => Promise<number>,
): Promise<number> {
  const { paths, progress } = context
  const measure = async (stateDir: string): Promise<number> => {
    const { databasePrefix, amqpPrefix } = namesOf(size)
    const env = { ...context.env, ...DEFAULTS, DATABASE_PREFIX: databasePrefix, AMQP_PREFIX: amqpPrefix }
    const running = await startStack({ ...context, paths: { ...paths, stateDir }, env }, await choosePorts(env))
    const isGiven = context.env['MONGO_URL'] !== undefined
    try {
      return await work(running, stateDir)
    } finally {
      await running.stop()
      // Its own backing services are gone with their data.
      if (isGiven)
        await progress.during(`removing what was made (${size})`, async () => removeNames(running.backing, namesOf(size)))
    }
  }
  return withTemporaryState(paths, measure, `-${size}`)
}

function namesOf(size: Size): { databasePrefix: string; amqpPrefix: string } {
  return { databasePrefix: `growth_${process.pid}_${size}_`, amqpPrefix: `growth.${process.pid}.${size}.` }
}

/** Where the program that measures finds a stack. */
function settings(size: Size, stateDir: string): Record<string, string> {
  const name = size.toUpperCase()
  return {
    [`${name}_STACK_FILE`]: stackFile(stateDir),
    [`${name}_STACK_LOGS`]: join(stateDir, 'logs'),
    [`${name}_DATABASE_PREFIX`]: namesOf(size).databasePrefix,
    [`${name}_CALLBACK_SECRET`]: ensureSecrets(stateDir).networkCallbackSecret,
  }
}

await runCommand(benchGrowth)
