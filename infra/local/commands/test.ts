import { join } from 'node:path'
import { ensureBaseImages } from '../../airgap/base-images.ts'
import { withEngine } from '../../airgap/engine/with-engine.ts'
import { startBacking } from '../backing/start-backing.ts'
import { ensureChromium } from '../chromium.ts'
import { ROOT } from '../paths.ts'
import { choosePorts } from '../ports.ts'
import { runThrough } from '../system/run-through.ts'
import { withTemporaryState } from '../temporary-state.ts'
import { UserError } from '../user-error.ts'
import type { Command, Context } from './context.ts'

const JEST = join(ROOT, 'node_modules/jest/bin/jest.js')

/**
 * Runs all tests, with further arguments for Jest; the exit code is Jest's. Given backing services are used, else temporary ones:
 * with `TEST_BACKEND=containers` these are containers, on an engine of their own where none answers.
 */
export const test: Command = async (context, args) => {
  if (onlyUnit(args)) return runJest(context, args, {})
  if (context.env['TEST_BACKEND'] !== 'containers') return testOnBacking(context, args)
  // The tests' own stacks are given what the containers are; somebody else's is not what was asked for.
  if (context.env['MONGO_URL'] || context.env['AMQP_URL'])
    throw new UserError('TEST_BACKEND is containers: unset MONGO_URL and AMQP_URL.')
  return withEngine(context, async () => {
    await ensureBaseImages(context, 'backing')
    return testOnBacking(context, args)
  })
}

async function testOnBacking(context: Context, args: readonly string[]): Promise<number> {
  return withTemporaryState(context.paths, async (stateDir) => {
    // The pages are tested in a real browser.
    await context.progress.during('looking for Chromium', async () => ensureChromium())
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
      return await runJest(context, args, { MONGO_URL: backing.mongoUrl, AMQP_URL: backing.amqpUrl })
    } finally {
      await context.progress.during('stopping the backing services', async () => backing.stop())
    }
  })
}

/** True when the arguments choose the unit tests alone: these need nothing. */
export function onlyUnit(args: readonly string[]): boolean {
  const from = args.indexOf('--selectProjects') + 1
  if (from === 0) return false
  const names = args.slice(from)
  const end = names.findIndex((name) => name.startsWith('-'))
  return (end === -1 ? names : names.slice(0, end)).every((name) => name === 'unit')
}

async function runJest({ env, stopRequested }: Context, args: readonly string[], urls: Record<string, string>): Promise<number> {
  const options = [env['NODE_OPTIONS'], '--experimental-vm-modules', '--disable-warning=ExperimentalWarning']
    .filter(Boolean)
    .join(' ')
  return runThrough(process.execPath, [JEST, ...args], {
    cwd: ROOT,
    env: { ...env, ...urls, NODE_OPTIONS: options },
    stopRequested,
  })
}
