import { startBacking } from '../backing/start-backing.ts'
import { choosePorts } from '@gateway-infra/system/ports'
import { type Command, runCommand, runThrough } from '@gateway-infra/system/command'
import { withStateLock } from '../state-lock.ts'

/** `backing` runs database and broker until Ctrl-C; `backing -- program args…` runs them for one program. */
const backing: Command = async (context, args) => {
  const [command, ...rest] = args[0] === '--' ? args.slice(1) : args
  return withStateLock(context.paths.stateDir, { command: 'backing', baseUrl: '' }, async () => {
    const ports = await choosePorts(context.env)
    const services = await startBacking({ ...context.paths, ports, progress: context.progress, env: context.env })
    try {
      const urls = { MONGO_URL: services.mongoUrl, AMQP_URL: services.amqpUrl }
      if (command !== undefined) {
        return await runThrough(command, rest, { ...context, env: { ...context.env, ...urls } })
      }
      console.log(`MONGO_URL=${urls.MONGO_URL}\nAMQP_URL=${urls.AMQP_URL}`)
      context.progress.log('ready; stop with Ctrl-C')
      await context.stopRequested
      return 0
    } finally {
      await context.progress.during('stopping the backing services', async () => services.stop())
    }
  })
}

await runCommand(backing)
