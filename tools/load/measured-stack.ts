import { choosePorts } from '@gateway-infra/system/ports'
import type { Context } from '@gateway-infra/system/command'
import { startStack, type RunningStack } from '@gateway-infra/local/stack'
import { withTemporaryState } from '@gateway-infra/local/temporary-backing'
import { removeNames, type Prefixes } from '@gateway/testkit/backing'

/** A stack that is there to be measured: on free ports, under names of its own, without rate limits. */
export interface MeasuredStack {
  readonly running: RunningStack
  readonly stateDir: string
  readonly prefixes: Prefixes
}

/** The variables that set a limit to calls per second. */
export function rateLimits(perSecond: string, ...kinds: readonly string[]): Record<string, string> {
  return Object.fromEntries(kinds.map((kind) => [`RATE_LIMIT_${kind}_PER_SECOND`, perSecond]))
}

/** Twenty merchants are the load of thousands: no limit per merchant or address. */
export const NO_RATE_LIMITS = rateLimits('0', 'CREATE', 'READ', 'WRITE', 'ANONYMOUS', 'CHECKOUT', 'PAGES')

/** Starts a stack for `work`, and removes it with its data afterwards. `name` tells several stacks of one run apart. */
export async function withMeasuredStack<T>(
  context: Context,
  { name, env }: { readonly name: string; readonly env: Readonly<Record<string, string>> },
  work: (stack: MeasuredStack) => Promise<T>,
): Promise<T> {
  const prefixes = { databasePrefix: `${name}_${process.pid}_`, amqpPrefix: `${name}.${process.pid}.` }
  const names = { DATABASE_PREFIX: prefixes.databasePrefix, AMQP_PREFIX: prefixes.amqpPrefix }
  const settings = { ...context.env, STACK_PORTS: 'auto', ...NO_RATE_LIMITS, ...env, ...names }
  const measure = async (stateDir: string): Promise<T> => {
    const paths = { ...context.paths, stateDir }
    const running = await startStack({ ...context, paths, env: settings }, await choosePorts(settings))
    try {
      return await work({ running, stateDir, prefixes })
    } finally {
      await running.stop()
      // Backing services that this stack started are gone with their data.
      if (running.backing.kind === 'given')
        await context.progress.during(`removing the data of ${name}`, async () => removeNames(running.backing, prefixes))
    }
  }
  return withTemporaryState(context.paths, measure, `-${name}`)
}
