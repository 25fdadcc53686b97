import { join } from 'node:path'
import { stackFile } from '@gateway-infra/local/stack-file'
import type { Command } from '@gateway-infra/system/context'
import { ROOT } from '@gateway-infra/system/paths'
import { runCommand } from '@gateway-infra/system/run-command'
import { runThrough } from '@gateway-infra/system/run-through'
import { withMeasuredStack } from '@gateway-tools/load/measured-stack'

/**
 * Measures a stack of its own. `BENCH_PROFILE` is a folder for a CPU profile of each service. The repeated enquiries after a payment's
 * end come when production's do, unless `FINAL_ENQUIRY_DELAYS` says otherwise.
 */
const bench: Command = async (context, args) => {
  const { BENCH_PROFILE: folder, FINAL_ENQUIRY_DELAYS = '15m,24h' } = context.env
  const profiling = folder === undefined ? {} : { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${folder}` }
  return withMeasuredStack(context, { name: 'bench', env: { FINAL_ENQUIRY_DELAYS, ...profiling } }, ({ stateDir, prefixes }) => {
    const places = { STACK_FILE: stackFile(stateDir), STACK_LOGS: join(stateDir, 'logs') }
    return runThrough(process.execPath, [join(ROOT, 'tools/bench/payments/main.ts'), ...args], {
      cwd: ROOT,
      env: { ...context.env, ...places, DATABASE_PREFIX: prefixes.databasePrefix, AMQP_PREFIX: prefixes.amqpPrefix },
      stopRequested: context.stopRequested,
    })
  })
}

await runCommand(bench)
