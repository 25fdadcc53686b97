/** `run-with.ts backing|engine [-- program args…]`: database and broker, or a Docker engine, for one program or until Ctrl-C. */
import { runCommand, runThrough, type Command, type Context } from '@gateway-infra/system/command'
import { choosePorts } from '@gateway-infra/system/ports'
import { UserError } from '@gateway-infra/system/user-error'
import { withEngine } from '@gateway-infra/offline/engine/with-engine'
import { withBacking } from '../backing/start-backing.ts'
import { withStateLock } from '../state-lock.ts'

const COMMANDS: Readonly<Record<string, Command>> = {
  async backing(context, args) {
    const { paths, progress, env } = context
    return withStateLock(paths.stateDir, { command: 'backing', baseUrl: '' }, async () => {
      const ports = await choosePorts(env)
      return withBacking({ ...paths, ports, progress, env }, async ({ mongoUrl: MONGO_URL, amqpUrl: AMQP_URL }) => {
        const urls = { MONGO_URL, AMQP_URL }
        return runOrWait(args, { ...context, env: { ...env, ...urls } }, [`MONGO_URL=${MONGO_URL}`, `AMQP_URL=${AMQP_URL}`])
      })
    })
  },

  engine: (context, args) =>
    withEngine(context, async () => {
      const exports = ['DOCKER_HOST', 'DOCKER_CONFIG'].map((name) => `export ${name}=${context.env[name] ?? ''}`)
      return runOrWait(args, context, exports)
    }),
}

await runCommand((context, [name = '', ...args]) => {
  const command = COMMANDS[name]
  if (!command) throw new UserError(`there is no command ${name}`)
  return command(context, args)
})

/** Runs the program that the arguments name; without one it prints `lines`, then waits for Ctrl-C. */
async function runOrWait(args: readonly string[], context: Context, lines: readonly string[]): Promise<number> {
  const [command, ...rest] = args[0] === '--' ? args.slice(1) : args
  if (command !== undefined) return runThrough(command, rest, context)
  console.log(lines.join('\n'))
  context.progress.log('ready; stop with Ctrl-C')
  await context.stopRequested
  return 0
}
