import { runOnBacking } from '@gateway-infra/local/temporary-backing'
import { NODE_ENVIRONMENT } from '@gateway-infra/local/start-services'
import { ensureBaseImages } from '@gateway-infra/offline/base-images'
import { ensureChromium } from '@gateway-infra/offline/chromium'
import { withEngine } from '@gateway-infra/offline/engine/with-engine'
import { runCommand, runScript, type Command } from '@gateway-infra/system/command'
import { UserError } from '@gateway-infra/system/user-error'
import { withQueryCheck } from './queries.ts'

const JEST = 'node_modules/jest/bin/jest.js'

/**
 * Runs the tests, with further arguments for Jest; the exit code is Jest's. Uses the backing services of the environment, else
 * temporary ones: with `TEST_BACKEND=containers` these are containers, on an engine of their own when none answers.
 */
const runTests: Command = async (given, args) => {
  const env: NodeJS.ProcessEnv = {
    // The commands and services that the tests start load in half the time with it.
    NODE_COMPILE_CACHE: NODE_ENVIRONMENT.NODE_COMPILE_CACHE,
    ...given.env,
  }
  const context = { ...given, env }
  if (onlyUnit(args)) return runScript(JEST, args, context)
  return withQueryCheck(areAll(args), (recording) => runOnEngines({ ...context, env: { ...env, ...recording } }, args))
}

const runOnEngines: Command = async (context, args) => {
  // The pages are tested in a real browser. On a new machine it is installed while the backing services are built.
  const browser = context.progress.during('looking for Chromium', async () => ensureChromium())
  browser.catch(() => undefined)
  if (context.env['TEST_BACKEND'] !== 'containers') return runOnBacking(JEST, browser)(context, args)
  // These tests use the containers; a database or broker that the environment names would bypass them.
  if (context.env['MONGO_URL'] || context.env['AMQP_URL'])
    throw new UserError('TEST_BACKEND is containers: unset MONGO_URL and AMQP_URL.')
  return withEngine(context, async () => {
    await ensureBaseImages(context, 'backing')
    return runOnBacking(JEST, browser)(context, args)
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

/** True when the arguments choose no tests, so that all run. */
export function areAll(args: readonly string[]): boolean {
  return args.every((arg) => /^--(?:$|json$|outputFile=)/u.test(arg))
}

if (import.meta.main) await runCommand(runTests)
