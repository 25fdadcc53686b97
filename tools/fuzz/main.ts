/**
 * `npm run fuzz [-- <arguments for Schemathesis>]`: requests generated from the OpenAPI document, valid and invalid, on a sandbox
 * stack of its own. Each answer must be as the document says. The last line is one JSON object; the exit code is 1 after a
 * failure, and when fewer cases were sent than wanted.
 */
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ensurePython } from '@gateway-infra/offline/python'
import type { Context } from '@gateway-infra/system/context'
import { runCommand } from '@gateway-infra/system/run-command'
import { runThrough } from '@gateway-infra/system/run-through'
import { UserError } from '@gateway-infra/system/user-error'
import { withMeasuredStack } from '@gateway-tools/load/measured-stack'
import { createMerchant } from '@gateway/testkit/merchant-client'

/** From PyPI; MIT. */
const SCHEMATHESIS = { name: 'schemathesis', version: '4.32.5' }
const WANTED_CASES = 10_000
const MAX_EXAMPLES_PER_OPERATION = 400
/** Its threads are not safe on Python 3.11: "AST constructor recursion depth mismatch". */
const WORKERS = 1

/** No name of an endpoint is resolved: nothing leaves this machine. */
const NO_NAMES = { WEBHOOK_DNS_SERVERS: '127.0.0.1:1' }

await runCommand(async (context, args) => {
  const { cacheDir } = context.paths
  const found = await context.progress.during('installing Schemathesis', () =>
    ensurePython(SCHEMATHESIS, { directory: join(cacheDir, 'fuzz-python') }),
  )
  if ('missing' in found) throw new UserError(`npm run fuzz needs Schemathesis: ${found.missing}`)
  return withMeasuredStack(context, { name: 'fuzz', env: NO_NAMES }, async ({ running: { stack }, stateDir }) => {
    const merchant = await createMerchant(stack.operator, { name: 'Fuzzed merchant' })
    const report = join(stateDir, 'fuzz', 'report.json')
    await mkdir(join(stateDir, 'fuzz'))
    const env = {
      ...context.env,
      SCHEMATHESIS_HOOKS: 'hooks',
      PYTHONPATH: import.meta.dirname,
      PYTHONDONTWRITEBYTECODE: '1',
      FUZZ_BASE_URL: stack.base_url,
      FUZZ_KEY_ID: merchant.key_id,
      FUZZ_KEY_SECRET: merchant.key_secret,
    }
    await fuzz(context, join(found.python, '../schemathesis'), { env, cwd: join(stateDir, 'fuzz') }, [
      ...['run', `${stack.base_url}/openapi.json`, '--report', 'json', '--report-json-path', report],
      ...['--checks', 'all', '--phases', 'examples,coverage,fuzzing', '--continue-on-failure', '--no-shrink'],
      ...['--max-examples', String(MAX_EXAMPLES_PER_OPERATION), '--workers', String(WORKERS), ...args],
    ])
    const { test_cases: cases } = JSON.parse(await readFile(report, 'utf8')) as Report
    const failures = cases.unique_failures + cases.errored
    console.log(JSON.stringify({ cases: cases.generated, failures }))
    return failures === 0 && cases.generated >= WANTED_CASES ? 0 : 1
  })
})

interface Report {
  readonly test_cases: { readonly generated: number; readonly unique_failures: number; readonly errored: number }
}

async function fuzz(
  { stopRequested }: Context,
  program: string,
  { env, cwd }: { readonly env: NodeJS.ProcessEnv; readonly cwd: string },
  args: readonly string[],
): Promise<void> {
  const code = await runThrough(program, args, { cwd, env, stopRequested })
  if (code > 1) throw new UserError(`Schemathesis ended with ${code}`)
}
