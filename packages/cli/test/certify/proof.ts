/**
 * `npm run certify:proof`: certifies the example shop twenty times, four other correct receivers once, and thirteen wrong ones, all
 * with the real gateway and the real times. Prints JSON. Exits with 1 when a result is not the expected one.
 */
import { Gateway, type Credentials } from '@gateway/sdk'
import { givenStack } from '@gateway-infra/local/stack-file'
import { createMerchant } from '@gateway/testkit'
import type { Report } from '@gateway/certify/report/report'
import { TIMING } from '@gateway/certify/timing'
import { listen } from '../../src/listen/session.ts'
import { certifyShop, checksWith, type Shown } from './certify-shop.ts'
import { PROGRAMS, startProgram, whyNoPython } from './programs.ts'
import { startShop, type Mistakes } from './shop.ts'
import { CORRECT, MUTANTS } from './variants.ts'

const REFERENCE_RUNS = 20
const AT_ONCE = 5
const stack = givenStack()

interface Place {
  readonly baseUrl: string
  readonly credentials: Credentials
  readonly secret: string
}

interface Candidate {
  readonly name: string
  readonly start: (place: Place) => Promise<Shown>
  readonly fails: readonly number[]
}

const program = (name: string, command: readonly [string, string]): Candidate => ({
  name,
  start: (place) => startProgram(command, place),
  fails: [],
})
const shop = (name: string, mistakes: (answerMs: number) => Mistakes, fails: readonly number[]): Candidate => ({
  name,
  start: (place) => startShop({ ...place, mistakes: mistakes(TIMING.answerMs) }),
  fails,
})

const references = Array.from({ length: REFERENCE_RUNS }, (_, run) => program(`reference, run ${run + 1}`, PROGRAMS.reference))
const missing = whyNoPython()
const others = [
  ...Object.entries(CORRECT).map(([name, mistakes]) => shop(name, mistakes, [])),
  ...(missing === undefined ? [program('Python', PROGRAMS.python)] : []),
]
const mutants = MUTANTS.map(({ name, mistakes, fails }) => shop(name, mistakes, fails))

if (missing !== undefined) process.stderr.write(`the receiver in Python is skipped: ${missing}\n`)
const waiting = [...references, ...others, ...mutants]
const asExpected = new Set<Candidate>()
await Promise.all(Array.from({ length: AT_ONCE }, work))

const passed = (candidates: readonly Candidate[]): number => candidates.filter((one) => asExpected.has(one)).length
const result = {
  reference_runs: references.length,
  reference_passed: passed(references),
  other_receivers: others.length,
  other_receivers_passed: passed(others),
  mutants: mutants.length,
  mutants_as_expected: passed(mutants),
}
process.stdout.write(`${JSON.stringify(result)}\n`)
process.exitCode = asExpected.size === references.length + others.length + mutants.length ? 0 : 1

async function work(): Promise<void> {
  for (let candidate = waiting.shift(); candidate; candidate = waiting.shift()) {
    const startedMs = performance.now()
    const report = await certifyCandidate(candidate)
    const isRight = String(checksWith(report, 'fail')) === String(candidate.fails) && isCertified(report, candidate)
    if (isRight) asExpected.add(candidate)
    const seconds = Math.round((performance.now() - startedMs) / 1000)
    const failed = checksWith(report, 'fail').join(', ') || 'none'
    process.stderr.write(`${isRight ? 'ok   ' : 'WRONG'}  ${candidate.name}: failed checks: ${failed} (${seconds} s)\n`)
    if (!isRight) process.stderr.write(reasonsIn(report))
  }
}

function isCertified({ certified }: Report, { fails }: Candidate): boolean {
  return certified === (fails.length === 0)
}

/** Each run has its own merchant, so that five runs can be parallel. */
async function certifyCandidate({ name, start }: Candidate): Promise<Report> {
  const credentials = await createMerchant(stack.operator, { name: `Certified ${name}` })
  const secret = await listenSecret(credentials)
  return certifyShop({ gatewayUrl: stack.base_url, credentials }, (baseUrl) => start({ baseUrl, credentials, secret }))
}

async function listenSecret(credentials: Credentials): Promise<string> {
  const gateway = new Gateway({ baseUrl: stack.base_url, credentials })
  let secret = ''
  const onReady = (shown: string): boolean => {
    secret = shown
    return false
  }
  const [onCopy, note] = [() => Promise.resolve(), () => undefined]
  await listen({ gateway, baseUrl: stack.base_url, since: undefined, onReady, onCopy, note })
  return secret
}

function reasonsIn({ checks }: Report): string {
  const wrong = checks.filter(({ result }) => result !== 'pass')
  return wrong.map(({ check, result, reason }) => `         ${check} ${result}: ${reason}\n`).join('')
}
