import { join } from 'node:path'
import { ensureBaseImages } from '@gateway-infra/offline/base-images'
import { withEngine } from '@gateway-infra/offline/engine/with-engine'
import { startBacking } from '@gateway-infra/local/backing/start-backing'
import { ensureChromium } from '@gateway-infra/offline/chromium'
import { ROOT } from '@gateway-infra/system/paths'
import { choosePorts } from '@gateway-infra/system/ports'
import { runThrough } from '@gateway-infra/system/run-through'
import { NODE_ENVIRONMENT } from '@gateway-infra/local/service-process'
import { withTemporaryState } from '@gateway-infra/local/temporary-state'
import { UserError } from '@gateway-infra/system/user-error'
import type { Command, Context } from '@gateway-infra/system/context'
import { runCommand } from '@gateway-infra/system/run-command'
import { onlyUnit } from './only-unit.ts'

const JEST = join(ROOT, 'node_modules/jest/bin/jest.js')

/**
 * Runs all tests, with further arguments for Jest; the exit code is Jest's. Given backing services are used, else temporary ones:
 * with `TEST_BACKEND=containers` these are containers, on an engine of their own where none answers.
 */
const test: Command = async (context, args) => {
  if (onlyUnit(args)) return runJest(context, args, {})
  if (context.env['TEST_BACKEND'] !== 'containers') return testOnBacking(context, args)
  // These tests use the containers; a database or broker that the environment names would bypass them.
  if (context.env['MONGO_URL'] || context.env['AMQP_URL'])
    throw new UserError('TEST_BACKEND is containers: unset MONGO_URL and AMQP_URL.')
  return withEngine(context, async () => {
    await ensureBaseImages(context, 'backing')
    return testOnBacking(context, args)
  })
}

async function testOnBacking(context: Context, args: readonly string[]): Promise<number> {
  return withTemporaryState(context.paths, async (stateDir) => {
    // The pages are tested in a real browser. On a new machine it is installed while the backing services are built.
    const browser = context.progress.during('looking for Chromium', async () => ensureChromium())
    browser.catch(() => undefined)
    // Whatever else runs on this machine keeps its ports.
    const ports = await choosePorts({ ...context.env, STACK_PORTS: 'auto' })
    const { cacheDir } = context.paths
    const backing = await startBacking({
      stateDir,
      cacheDir,
      ports,
      progress: context.progress,
      env: context.env,
      isTemporary: true,
    })
    try {
      await browser
      return await runJest(context, args, { MONGO_URL: backing.mongoUrl, AMQP_URL: backing.amqpUrl })
    } finally {
      await context.progress.during('stopping the backing services', async () => backing.stop())
    }
  })
}

/** With Node's compile cache: the commands and services that the tests start load in half the time. */
async function runJest({ env, stopRequested }: Context, args: readonly string[], urls: Record<string, string>): Promise<number> {
  const options = [env['NODE_OPTIONS'], '--experimental-vm-modules', '--disable-warning=ExperimentalWarning']
    .filter(Boolean)
    .join(' ')
  return runThrough(process.execPath, [JEST, ...args], {
    cwd: ROOT,
    env: { NODE_COMPILE_CACHE: NODE_ENVIRONMENT.NODE_COMPILE_CACHE, ...env, ...urls, NODE_OPTIONS: options },
    stopRequested,
  })
}

await runCommand(test)
