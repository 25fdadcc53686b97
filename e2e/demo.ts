/**
 * `npm run demo [-- --timelines]`: six payments at the same time on a running stack, as a merchant sees them, through public
 * interfaces only. With `--timelines` it prints `pgw timeline` of each afterwards. The exit code is 0 only if all went as specified.
 */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { givenStack } from '@gateway-infra/local/stack-file'
import { findProblems } from './demo/check.ts'
import { orderIdOf, refreshEvidence, runScenario, type ScenarioContext } from './demo/run-scenario.ts'
import { SCENARIOS, type Scenario } from './demo/scenarios.ts'
import { describeWebhook, startTimeline, styled, type Timeline } from './demo/timeline.ts'
import { openMerchantSite, type MerchantSite, type WebhookAttempt } from './support/merchant-site.ts'
import { upiApp } from './support/merchant.ts'

const PGW = join(import.meta.dirname, '../packages/cli/bin/from-source.mjs')

try {
  process.exitCode = await runDemo()
} catch (error) {
  console.error(`The demo failed to run: ${error instanceof Error ? error.message : String(error)}`)
  process.exitCode = 1
}

async function runDemo(): Promise<number> {
  const stack = givenStack()
  const run = Date.now().toString(36).toUpperCase()
  const timeline = startTimeline()
  const site = await openMerchantSite(stack, 'Demo run', (attempt) => showWebhook(timeline, attempt))
  try {
    console.log(`\n${SCENARIOS.length} payments at ${stack.base_url}, webhooks to ${site.webhookUrl}\n`)
    for (const { name, about } of SCENARIOS) console.log(`  ${styled('bold', name.padEnd(8))}  ${about}`)
    console.log()
    const exitCode = report(await runAll({ site, app: upiApp(stack), timeline, run }))
    const { values } = parseArgs({ options: { timelines: { type: 'boolean' } } })
    if (values.timelines) for (const scenario of SCENARIOS) await printTimeline(orderIdOf(scenario, run), stack.base_url, site)
    return exitCode
  } finally {
    await site.close()
  }
}

type Outcome = readonly [scenario: Scenario, problems: readonly string[]]

async function runAll(context: ScenarioContext): Promise<Outcome[]> {
  const seen = await Promise.allSettled(SCENARIOS.map((scenario) => runScenario(scenario, context)))
  // Check after the slowest has ended: an unexpected webhook may have arrived in the meantime.
  return Promise.all(
    SCENARIOS.map(async (scenario, index): Promise<Outcome> => {
      const result = seen[index]
      if (result?.status !== 'fulfilled') return [scenario, [String(result?.reason)]]
      return [scenario, findProblems(scenario, await refreshEvidence(result.value, context.site))]
    }),
  )
}

function report(outcomes: readonly Outcome[]): number {
  console.log()
  for (const [{ name, expected, refunds = [] }, problems] of outcomes) {
    const verdict = problems.length === 0 ? styled('green', 'ok   ') : styled('red', 'WRONG')
    const reversal = expected.reversal === null ? '' : `, money back (${expected.reversal.reason})`
    const parts = refunds.length === 0 ? '' : `, refunds ${refunds.map(({ amount, ends }) => `${amount} ${ends}`).join(', ')}`
    console.log(`  ${verdict}  ${name.padEnd(8)}  ${expected.statuses.join(' → ')}${reversal}${parts}`)
    for (const problem of problems) console.log(`         ${styled('red', problem)}`)
  }
  const failed = outcomes.filter(([, problems]) => problems.length > 0).length
  console.log(
    failed === 0 ? '\nAll payments went as specified.' : `\n${failed} of ${outcomes.length} payments did not go as specified.`,
  )
  return failed === 0 ? 0 : 1
}

function showWebhook(timeline: Timeline, attempt: WebhookAttempt): void {
  const { isAuthentic, status, payload } = attempt
  const payment = payload.merchantTxnId.split('-').at(-1) ?? ''
  const tone = !isAuthentic ? 'bad' : status === 200 ? 'good' : 'refused'
  timeline({ payment, what: 'webhook', detail: describeWebhook(attempt), tone })
}

/** What support sees of a payment: prints `pgw timeline` of an order. Throws when the command fails. */
async function printTimeline(orderId: string, baseUrl: string, { merchant }: MerchantSite): Promise<void> {
  const { key_id, key_secret } = merchant.credentials
  const env = { ...process.env, PGW_BASE_URL: baseUrl, PGW_KEY_ID: key_id, PGW_KEY_SECRET: key_secret }
  const { stdout } = await promisify(execFile)(process.execPath, [PGW, 'timeline', orderId], { env })
  console.log(`\n${styled('bold', `pgw timeline ${orderId}`)}\n${stdout.trimEnd()}`)
}
