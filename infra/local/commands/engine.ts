import { withEngine } from '../../airgap/engine/with-engine.ts'
import { ROOT } from '../paths.ts'
import { runThrough } from '../system/run-through.ts'
import type { Command } from './context.ts'

/** `engine` keeps a Docker engine up until Ctrl-C; `engine -- program args…` keeps it up for one program. */
export const engine: Command = async (context, args) => {
  const [command, ...rest] = args[0] === '--' ? args.slice(1) : args
  return withEngine(context, async () => {
    if (command !== undefined) return runThrough(command, rest, { ...context, cwd: ROOT })
    for (const name of ['DOCKER_HOST', 'DOCKER_CONFIG']) console.log(`export ${name}=${context.env[name] ?? ''}`)
    context.progress.log('up; Ctrl-C ends it')
    await context.stopRequested
    return 0
  })
}
