import { rm } from 'node:fs/promises'
import { composedFolder } from '@gateway-infra/local/compose/composed'
import { checkProduction } from './production-check.ts'
import { choosePorts, portVariable, type PortName } from '@gateway-infra/system/ports'
import { ensureBaseImages } from '@gateway-infra/offline/base-images'
import { withEngine } from '@gateway-infra/offline/engine/with-engine'
import { removeLeftovers } from './leftovers.ts'
import { buildImages } from '@gateway-infra/images/build'
import { ROOT } from '@gateway-infra/system/paths'
import { run } from '@gateway-infra/system/run'
import { onComposed } from '@gateway-infra/local/commands/on-stack'
import { type Context, runCommand } from '@gateway-infra/system/command'

const UP_WITHIN_MS = 600_000

/**
 * `npm run compose:check`: builds the images, starts the compose file until it is healthy, runs the demo on it and stops it. Then
 * starts the production compose file without its values and with them. Prints how long each step takes, and the images' sizes.
 */
await runCommand((context) =>
  withEngine(context, async () => {
    const project = `payment-gateway-check-${process.pid}`
    const production = `${project}-production`
    await ensureBaseImages(context, 'services')
    const ports = await choosePorts({ ...context.env, STACK_PORTS: 'auto' })
    const variables = Object.entries(ports).map(([name, port]) => [portVariable(name as PortName), String(port)])
    Object.assign(context.env, Object.fromEntries(variables), { COMPOSE_PROJECT_NAME: project })

    const { progress } = context
    const images = await buildImages(context)
    const upAndDemo = async (): Promise<number> => {
      await progress.during('up, until healthy', async () => up(context))
      return progress.during('demo', async () => onComposed('e2e/demo.ts', context, []))
    }
    // Resources that `down` does not remove count as left behind.
    const down = async () => compose(context, 'down', '--volumes', '--remove-orphans')
    const code = await upAndDemo().finally(async () => progress.during('down', down))
    await progress.during('production', async () => checkProduction(context, production))
    const left = await removeLeftovers(`com.docker.compose.project=${project}`)
    const leftOfProduction = await removeLeftovers(`com.docker.compose.project=${production}`)
    await rm(composedFolder(context), { recursive: true, force: true })
    console.log(['', 'Images', ...images.map((line) => `  ${line}`)].join('\n'))
    console.log(`\nLeft behind: ${left.description}; of production: ${leftOfProduction.description}`)
    return code === 0 && left.count + leftOfProduction.count === 0 ? 0 : 1
  }),
)

async function compose({ paths }: Context, ...args: readonly string[]): Promise<string> {
  const options = { cwd: ROOT, logFile: `${paths.cacheDir}/compose.log`, timeoutMs: UP_WITHIN_MS }
  return run('docker', ['compose', ...args], { ...options, evenWhenStopping: args[0] === 'down' })
}

async function up(context: Context): Promise<void> {
  try {
    await compose(context, 'up', '--detach', '--wait', '--no-build')
  } catch (error) {
    console.error(await compose(context, 'ps', '--all').catch(String))
    console.error(await compose(context, 'logs', '--tail', '20').catch(String))
    throw error
  }
}
