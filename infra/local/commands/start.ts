import { join } from 'node:path'
import { choosePorts } from '@gateway-infra/system/ports'
import { connectorIn, serviceUrl } from '../services.ts'
import { stackFile } from '../stack-file.ts'
import { startStack, type RunningStack } from '../stack.ts'
import { withStateLock } from '../state-lock.ts'
import { type Command, type Context, runCommand } from '@gateway-infra/system/command'

/** Starts the stack and keeps it running until it is asked to stop. */
const start: Command = async (context) => {
  const ports = await choosePorts(context.env)
  const holder = { command: 'start', baseUrl: serviceUrl(ports, 'api-gateway') }
  return withStateLock(context.paths.stateDir, holder, async () => {
    const running = await startStack(context, ports)
    console.log(summary(running, connectorIn(ports, context.env), context))
    await context.stopRequested
    await running.stop()
    context.progress.log('everything has stopped')
    return 0
  })
}

function summary({ stack, backing }: RunningStack, connector: string, { paths }: Context): string {
  return [
    '',
    'The sandbox gateway is ready.',
    `  Base URL   ${stack.base_url}`,
    `  Reference  ${stack.base_url}/docs`,
    `  Network    ${connector}`,
    `  Backing    ${backing.kind}: ${backing.reason}`,
    `  Stack file ${stackFile(paths.stateDir)} (addresses, the merchant's credentials, operator tokens)`,
    `  Logs       ${join(paths.stateDir, 'logs')}`,
    '  Next       npm run demo, or "Integrate in five minutes" in README.md',
    '  Stop       Ctrl-C here, or "npm stop" anywhere in the project',
    '',
  ].join('\n')
}

await runCommand(start)
