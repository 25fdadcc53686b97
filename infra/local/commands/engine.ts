import { withEngine } from '@gateway-infra/offline/engine/with-engine'
import { runCommand, type Command } from '@gateway-infra/system/command'
import { runOrWait } from '../read-arguments.ts'

/** `engine` runs a Docker engine until Ctrl-C; `engine -- program args…` runs it for one program. */
const engine: Command = (context, args) =>
  withEngine(context, async () => {
    const exports = ['DOCKER_HOST', 'DOCKER_CONFIG'].map((name) => `export ${name}=${context.env[name] ?? ''}`)
    return runOrWait(args, context, exports)
  })

await runCommand(engine)
