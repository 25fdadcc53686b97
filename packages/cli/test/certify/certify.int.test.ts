/** `pgw certify` passes correct receivers and fails wrong ones, here with a small sandbox; e2e and `npm run certify:proof` use the real gateway. */
import type { Report } from '@gateway/certify/report/report'
import type { Timing } from '@gateway/certify/timing'
import { credentials } from '../fake-gateway.ts'
import { certifyShop, checksWith, type Shown } from './certify-shop.ts'
import { PROGRAMS, startProgram, whyNoPython } from './programs.ts'
import { startSandbox, type Sandbox } from './sandbox.ts'
import { startShop } from './shop.ts'
import { CORRECT, MUTANTS } from './variants.ts'

/** A quarter of the real times, except where a receiver or the SDK has its own fixed time. */
const TIMING: Timing = {
  answerMs: 2500,
  effectMs: 8000,
  settleMs: 700,
  eventMs: 20_000,
  reachableMs: 30_000,
  holdMs: 600,
  outageMs: 4500,
  retryAfterSeconds: 1,
  withheldSeconds: 3,
  lateSeconds: 1,
  reconcileMs: 12_000,
}
const ALL = Array.from({ length: 18 }, (_, index) => index + 1)

type Start = (baseUrl: string, sandbox: Sandbox) => Promise<Shown>

async function certified(start: Start): Promise<Report> {
  const sandbox = await startSandbox()
  try {
    const bed = { gatewayUrl: sandbox.url, credentials, timing: TIMING }
    return await certifyShop(bed, (baseUrl) => start(baseUrl, sandbox))
  } finally {
    await sandbox.stop()
  }
}

const shopWith =
  (mistakes: (answerMs: number) => Parameters<typeof startShop>[0]['mistakes']): Start =>
  (baseUrl, { signingSecret: secret }) =>
    startShop({ baseUrl, credentials, secret, mistakes: mistakes(TIMING.answerMs) })

const program =
  (command: readonly [string, string]): Start =>
  (baseUrl, { signingSecret: secret }) =>
    startProgram(command, { baseUrl, credentials, secret })

const failures = ({ checks }: Report): string[] =>
  checks.flatMap(({ check, result, reason }) => (result === 'fail' ? [`${check}: ${reason}`] : []))

// Proves: certify/correct-receivers-pass
describe('correct receivers pass every check', () => {
  test('the example shop, a plain one, a slow one and one with a queue', async () => {
    const starts = [program(PROGRAMS.reference), ...Object.values(CORRECT).map(shopWith)]
    for (const report of await Promise.all(starts.map(certified))) {
      expect(failures(report)).toEqual([])
      expect(checksWith(report, 'pass')).toEqual(ALL)
      expect(report.certified).toBe(true)
    }
  })

  const missing = whyNoPython()
  const testPython = missing === undefined ? test : test.skip
  testPython(`one in Python, without any library${missing === undefined ? '' : ` (skipped: ${missing})`}`, async () => {
    const report = await certified(program(PROGRAMS.python))
    expect(failures(report)).toEqual([])
    expect(checksWith(report, 'pass')).toEqual(ALL)
  })
})

// Proves: certify/mutants-fail-their-checks
describe('each of thirteen mistakes fails exactly its checks', () => {
  let reports: Map<string, Report>
  beforeAll(async () => {
    const run = MUTANTS.map(async ({ name, mistakes }) => [name, await certified(shopWith(mistakes))] as const)
    reports = new Map(await Promise.all(run))
  }, 240_000)

  test.each(MUTANTS)('$name: $fails', ({ name, fails }) => {
    const report = reports.get(name)
    expect(report && checksWith(report, 'fail')).toEqual(fails)
    expect(report?.certified).toBe(false)
  })

  test('every check is failed by one of them', () => {
    expect(MUTANTS).toHaveLength(13)
    expect([...new Set(MUTANTS.flatMap(({ fails }) => fails))].toSorted((one, other) => one - other)).toEqual(ALL)
  })
})
