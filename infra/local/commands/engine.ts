import { withEngine } from '@gateway-infra/offline/engine/with-engine'
import { type Command, runCommand, runThrough } from '@gateway-infra/system/command'

/** `engine` runs a Docker engine until Ctrl-C; `engine -- program args…` runs it for one program. */
const engine: Command = async (context, args) => {
  const [command, ...rest] = args[0] === '--' ? args.slice(1) : args
  return withEngine(context, async () => {
    if (command !== undefined) return runThrough(command, rest, context)
    for (const name of ['DOCKER_HOST', 'DOCKER_CONFIG']) console.log(`export ${name}=${context.env[name] ?? ''}`)
    context.progress.log('ready; stop with Ctrl-C')
    await context.stopRequested
    return 0
  })
}

await runCommand(engine)
