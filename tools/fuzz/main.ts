/**
 * `npm run fuzz [-- <arguments for Schemathesis>]`: requests generated from the OpenAPI document, valid and invalid, on a sandbox
 * stack of its own. Each answer must be as the document says. The last line is one JSON object; the exit code is 1 after a
 * failure, and when fewer cases were sent than wanted.
 */
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ensurePython } from '@gateway-infra/offline/python'
import { runCommand, runThrough } from '@gateway-infra/system/command'
import { UserError } from '@gateway-infra/system/user-error'
import { withMeasuredStack } from '@gateway-tools/load/measured-stack'
import { sum } from '@gateway-tools/load/statistics'
import { SCOPES } from '@gateway/contracts'
import { createMerchant } from '@gateway/testkit/merchants'

/** From PyPI; MIT. */
const SCHEMATHESIS = { name: 'schemathesis', version: '4.32.5' }
const WANTED_CASES = 10_000
const MAX_EXAMPLES_PER_OPERATION = 550
/** Two programs at once: the threads of one are not safe on Python 3.11 ("AST constructor recursion depth mismatch"). */
const SHARES = {
  merchants: ['--include-tag', 'webhooks', '--include-tag', 'account'],
  payments: ['--exclude-tag', 'webhooks', '--exclude-tag', 'account'],
}

/** No name of an endpoint is resolved: nothing leaves this machine. */
const NO_NAMES = { WEBHOOK_DNS_SERVERS: '127.0.0.1:1' }

await runCommand(async (context, args) => {
  const { cacheDir } = context.paths
  const found = await context.progress.during('installing Schemathesis', () =>
    ensurePython(SCHEMATHESIS, { directory: join(cacheDir, 'fuzz-python') }),
  )
  if ('missing' in found) throw new UserError(`npm run fuzz needs Schemathesis: ${found.missing}`)
  return withMeasuredStack(context, { name: 'fuzz', env: NO_NAMES }, async ({ running: { stack }, stateDir }) => {
    const merchant = await createMerchant(stack.operator, { name: 'Fuzzed merchant', scopes: SCOPES })
    const env = {
      ...context.env,
      SCHEMATHESIS_HOOKS: 'hooks',
      PYTHONPATH: import.meta.dirname,
      PYTHONDONTWRITEBYTECODE: '1',
      FUZZ_BASE_URL: stack.base_url,
      FUZZ_KEY_ID: merchant.key_id,
      FUZZ_KEY_SECRET: merchant.key_secret,
    }
    const shares = Object.entries(SHARES).map(async ([name, share]) => {
      const cwd = join(stateDir, `fuzz-${name}`)
      await mkdir(cwd)
      const report = join(cwd, 'report.json')
      const options = [
        ...['--report', 'json', '--report-json-path', report, ...share],
        ...['--checks', 'all', '--phases', 'examples,coverage,fuzzing', '--continue-on-failure', '--no-shrink'],
        // A stream: its answer takes fifteen minutes.
        ...['--exclude-path', '/api/v1/webhooks/listen', '--max-examples', String(MAX_EXAMPLES_PER_OPERATION), ...args],
      ]
      const program = join(found.python, '../schemathesis')
      const code = await runThrough(program, ['run', `${stack.base_url}/openapi.json`, ...options], { ...context, cwd, env })
      if (code > 1) throw new UserError(`Schemathesis ended with ${code}`)
      const { test_cases } = JSON.parse(await readFile(report, 'utf8')) as {
        test_cases: { generated: number; unique_failures: number; errored: number }
      }
      const failures = test_cases.unique_failures + test_cases.errored
      // An error of Schemathesis itself is no failed case.
      return { cases: test_cases.generated, failures: failures === 0 && code !== 0 ? 1 : failures }
    })
    const counts = await Promise.all(shares)
    const total = { cases: sum(counts.map(({ cases }) => cases)), failures: sum(counts.map(({ failures }) => failures)) }
    console.log(JSON.stringify(total))
    return total.failures === 0 && total.cases >= WANTED_CASES ? 0 : 1
  })
})
