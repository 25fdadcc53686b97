import { runCommand, type Command } from '@gateway-infra/system/command'
import { choosePorts } from '@gateway-infra/system/ports'
import { withBacking } from '../backing/start-backing.ts'
import { runOrWait } from '../read-arguments.ts'
import { withStateLock } from '../state-lock.ts'

/** `backing` runs database and broker until Ctrl-C; `backing -- program args…` runs them for one program. */
const backing: Command = async (context, args) => {
  const { paths, progress, env } = context
  return withStateLock(paths.stateDir, { command: 'backing', baseUrl: '' }, async () => {
    const ports = await choosePorts(env)
    return withBacking({ ...paths, ports, progress, env }, async ({ mongoUrl: MONGO_URL, amqpUrl: AMQP_URL }) => {
      const urls = { MONGO_URL, AMQP_URL }
      return runOrWait(args, { ...context, env: { ...env, ...urls } }, [`MONGO_URL=${MONGO_URL}`, `AMQP_URL=${AMQP_URL}`])
    })
  })
}

await runCommand(backing)
