import { withEngine } from '@gateway-infra/offline/engine/with-engine'
import { ROOT } from '@gateway-infra/system/paths'
import { runThrough } from '@gateway-infra/system/run-through'
import type { Command } from '@gateway-infra/system/context'
import { runCommand } from '@gateway-infra/system/run-command'

/** `engine` keeps a Docker engine up until Ctrl-C; `engine -- program args…` keeps it up for one program. */
const engine: Command = async (context, args) => {
  const [command, ...rest] = args[0] === '--' ? args.slice(1) : args
  return withEngine(context, async () => {
    if (command !== undefined) return runThrough(command, rest, { ...context, cwd: ROOT })
    for (const name of ['DOCKER_HOST', 'DOCKER_CONFIG']) console.log(`export ${name}=${context.env[name] ?? ''}`)
    context.progress.log('up; Ctrl-C ends it')
    await context.stopRequested
    return 0
  })
}

await runCommand(engine)
