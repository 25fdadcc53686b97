import { withEngine } from '@gateway-infra/offline/engine/with-engine'
import { ROOT } from '@gateway-infra/system/paths'
import { runThrough } from '@gateway-infra/system/run-through'
import type { Command } from '@gateway-infra/system/context'
import { runCommand } from '@gateway-infra/system/run-command'

/** `engine` runs a Docker engine until Ctrl-C; `engine -- program args…` runs it for one program. */
const engine: Command = async (context, args) => {
  const [command, ...rest] = args[0] === '--' ? args.slice(1) : args
  return withEngine(context, async () => {
    if (command !== undefined) return runThrough(command, rest, { ...context, cwd: ROOT })
    for (const name of ['DOCKER_HOST', 'DOCKER_CONFIG']) console.log(`export ${name}=${context.env[name] ?? ''}`)
    context.progress.log('ready; stop with Ctrl-C')
    await context.stopRequested
    return 0
  })
}

await runCommand(engine)
