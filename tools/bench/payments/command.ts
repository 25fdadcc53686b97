import { join } from 'node:path'
import { ROOT } from '@gateway-infra/system/paths'
import { choosePorts } from '@gateway-infra/system/ports'
import { stackFile } from '@gateway-infra/local/stack-file'
import { startStack } from '@gateway-infra/local/stack'
import { runThrough } from '@gateway-infra/system/run-through'
import { withTemporaryState } from '@gateway-infra/local/temporary-state'
import { removeNames } from './remove-names.ts'
import type { Command, Context } from '@gateway-infra/system/context'
import { runCommand } from '@gateway-infra/system/run-command'

const PREFIX = 'bench'

/**
 * What a load of one machine needs: no limit per merchant or address, since twenty merchants are the load of thousands. The
 * repeated enquiries after a payment's end come when production's do, not while other payments are measured.
 */
const DEFAULTS = {
  STACK_PORTS: 'auto',
  FINAL_ENQUIRY_DELAYS: '15m,24h',
  RATE_LIMIT_CREATE_PER_SECOND: '0',
  RATE_LIMIT_READ_PER_SECOND: '0',
  RATE_LIMIT_ANONYMOUS_PER_SECOND: '0',
  DATABASE_PREFIX: `${PREFIX}_${process.pid}_`,
  AMQP_PREFIX: `${PREFIX}.${process.pid}.`,
}

/** Measures a stack of its own, which is gone afterwards. `BENCH_PROFILE` is a folder for a CPU profile of each service. */
const bench: Command = async (context, args) => {
  const { paths, progress, stopRequested } = context
  return withTemporaryState(paths, async (stateDir) => {
    const env = { ...context.env, ...DEFAULTS, ...enquiries(context), ...profiling(context) }
    const measured: Context = { ...context, paths: { ...paths, stateDir }, env }
    const running = await startStack(measured, await choosePorts(env))
    try {
      const benchEnv = { ...context.env, ...DEFAULTS, STACK_FILE: stackFile(stateDir), STACK_LOGS: join(stateDir, 'logs') }
      const script = join(ROOT, 'tools/bench/payments/main.ts')
      return await runThrough(process.execPath, [script, ...args], { cwd: ROOT, env: benchEnv, stopRequested })
    } finally {
      await running.stop()
      const names = { databasePrefix: DEFAULTS.DATABASE_PREFIX, amqpPrefix: DEFAULTS.AMQP_PREFIX }
      // Its own backing services are gone with their data.
      if (running.backing.kind === 'given')
        await progress.during('removing what was made', async () => removeNames(running.backing, names))
    }
  })
}

/** Other delays than production's, to see what the enquiries after a payment's end cost. */
function enquiries({ env }: Context): Record<string, string> {
  const delays = env['FINAL_ENQUIRY_DELAYS']
  return delays === undefined ? {} : { FINAL_ENQUIRY_DELAYS: delays }
}

function profiling({ env }: Context): Record<string, string> {
  const folder = env['BENCH_PROFILE']
  return folder === undefined ? {} : { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${folder}` }
}

await runCommand(bench)
