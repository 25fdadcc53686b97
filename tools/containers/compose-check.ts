import { rm } from 'node:fs/promises'
import { composedFolder } from '@gateway-infra/local/compose/composed'
import { checkProduction } from './production-check.ts'
import { choosePorts, portVariable, type PortName } from '@gateway-infra/system/ports'
import { ensureBaseImages } from '@gateway-infra/offline/base-images'
import { withEngine } from '@gateway-infra/offline/engine/with-engine'
import { leftoversOf, removeLeftovers } from './leftovers.ts'
import { buildImages } from '@gateway-infra/images/build'
import { formatSeconds } from '@gateway-infra/system/progress'
import { ROOT } from '@gateway-infra/system/paths'
import { run } from '@gateway-infra/system/run'
import { onComposed } from '@gateway-infra/local/on-stack'
import type { Command, Context } from '@gateway-infra/system/context'
import { runCommand } from '@gateway-infra/system/run-command'

const UP_WITHIN_MS = 600_000
const PUBLISHED: readonly PortName[] = [
  'mongo',
  'amqp',
  'api-gateway',
  'network-simulator',
  'auth-token-operator',
  'webhook-dispatcher-operator',
  'ledger-operator',
]

/**
 * `npm run compose:check`: builds the images, starts the compose file until it is healthy, runs the demo on it and stops it. Then
 * starts the production compose file without its values and with them. Prints times and sizes.
 */
const composeCheck: Command = (context) =>
  withEngine(context, async () => {
    const project = `payment-gateway-check-${process.pid}`
    const production = `${project}-production`
    await ensureBaseImages(context, 'services')
    const ports = await choosePorts({ ...context.env, STACK_PORTS: 'auto' })
    const names = PUBLISHED.map((name) => [portVariable(name), String(ports[name])])
    Object.assign(context.env, Object.fromEntries(names), { COMPOSE_PROJECT_NAME: project })

    const times: [what: string, durationMs: number][] = []
    const timed = async <T>(what: string, work: () => Promise<T>): Promise<T> => {
      const from = performance.now()
      const result = await context.progress.during(what, work)
      times.push([what, performance.now() - from])
      return result
    }
    const images = await timed('build', async () => buildImages(context))
    const upAndDemo = async (): Promise<number> => {
      await timed('up, until healthy', async () => up(context))
      return timed('demo', async () => onComposed('e2e/demo.ts', context, []))
    }
    const code = await upAndDemo().finally(async () => timed('down', async () => down(context)))
    await timed('production', async () => checkProduction(context, production))
    // Counted before anything else is removed, so that it shows what `down` leaves.
    const left = await leftoversOf(labelOf(project))
    const leftOfProduction = await leftoversOf(labelOf(production))
    for (const name of [project, production]) await removeLeftovers(labelOf(name))
    await rm(composedFolder(context), { recursive: true, force: true })
    console.log(['', 'Images', ...images.map((line) => `  ${line}`)].join('\n'))
    console.log(['', 'Times', ...times.map(([what, ms]) => `  ${what.padEnd(20)} ${formatSeconds(ms)}`)].join('\n'))
    console.log(`\nLeft behind: ${left.describe()}; of production: ${leftOfProduction.describe()}`)
    return code === 0 && left.count + leftOfProduction.count === 0 ? 0 : 1
  })

function labelOf(project: string): string {
  return `com.docker.compose.project=${project}`
}

async function up({ paths }: Context): Promise<void> {
  const options = { cwd: ROOT, logFile: `${paths.cacheDir}/compose.log`, timeoutMs: UP_WITHIN_MS }
  try {
    await run('docker', ['compose', 'up', '--detach', '--wait', '--no-build'], options)
  } catch (error) {
    console.error(await run('docker', ['compose', 'ps', '--all'], options).catch(String))
    console.error(await run('docker', ['compose', 'logs', '--tail', '20'], options).catch(String))
    throw error
  }
}

/** Resources that `down` does not remove count as left behind. */
async function down({ paths }: Context): Promise<void> {
  const options = { cwd: ROOT, logFile: `${paths.cacheDir}/compose.log`, timeoutMs: UP_WITHIN_MS, evenWhenStopping: true }
  await run('docker', ['compose', 'down', '--volumes', '--remove-orphans'], options)
}

await runCommand(composeCheck)
