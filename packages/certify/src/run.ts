import { createBench, type Bench } from './bench/bench.ts'
import type { World } from './bench/world.ts'
import { CATALOGUE, type CheckDescription } from './catalogue.ts'
import { CHECKS } from './checks/all.ts'
import type { Check, Findings } from './checks/check.ts'
import type { CheckReport } from './report/report.ts'
import { createRedactor, type Redactor } from './redact.ts'
import { sweep, type Swept } from './sweep.ts'
import { createTranscript, type Transcript } from './transcript.ts'
import { worstOf, type Verdict } from './verdict.ts'
import { entryOf } from './wire/calls.ts'
import type { Proxy } from './wire/proxy.ts'

export interface RunOptions {
  /** Numbers of the checks to run; the others are `skipped`. `undefined`: all checks. */
  readonly only: readonly number[] | undefined
  /** Never shown in a transcript. */
  readonly secrets: readonly string[]
  /** Called when a check begins. */
  readonly onBegin: (check: CheckDescription) => void
}

interface Begun {
  readonly check: Check
  readonly bench: Bench
  readonly transcript: Transcript
  readonly findings: Findings
  readonly durationMs: number
}

const SKIPPED: Verdict = { result: 'skipped', reason: 'It was not selected.' }

/**
 * Runs the checks, then reads every effect. The reports are sorted by check number. Throws the error of the first check that throws;
 * the caller then aborts `world.signal`, which ends the other checks.
 */
export async function runChecks(world: World, options: RunOptions): Promise<readonly CheckReport[]> {
  const chosen = CHECKS.filter(({ check }) => options.only?.includes(check) ?? true)
  const begin = (check: Check): Promise<Begun> => runCheck(check, world, options)
  // These wait for orders to expire, while the others run one after the other.
  const long = chosen.filter(({ isLong }) => isLong === true).map(begin)
  const short = oneByOne(
    chosen.filter(({ isLong }) => isLong !== true),
    begin,
  )
  const begun = (await Promise.all([short, ...long])).flat()
  const swept = await sweep(
    world.probe,
    begun.flatMap(({ findings }) => findings.effects),
    world.timing,
    world.signal,
  )
  return CATALOGUE.map((described) => {
    const done = begun.find(({ check }) => check.check === described.check)
    return done
      ? reportOf(described, done, swept, { proxy: world.proxy, redactor: createRedactor(options.secrets) })
      : { ...described, ...SKIPPED, duration_ms: 0, transcript: [] }
  })
}

async function oneByOne(checks: readonly Check[], begin: (check: Check) => Promise<Begun>): Promise<readonly Begun[]> {
  const begun: Begun[] = []
  for (const check of checks) begun.push(await begin(check))
  return begun
}

async function runCheck(check: Check, world: World, { onBegin, secrets }: RunOptions): Promise<Begun> {
  world.signal.throwIfAborted()
  const described = CATALOGUE.find((one) => one.check === check.check)
  if (described) onBegin(described)
  const transcript = createTranscript(secrets)
  const bench = createBench(world, transcript)
  const startedMs = performance.now()
  const findings = await check.run(bench)
  return { check, bench, transcript, findings, durationMs: Math.round(performance.now() - startedMs) }
}

interface Reporting {
  readonly proxy: Proxy
  readonly redactor: Redactor
}

function reportOf(described: CheckDescription, begun: Begun, all: readonly Swept[], { proxy, redactor }: Reporting): CheckReport {
  const { findings, transcript, bench, durationMs } = begun
  const swept = all.filter(({ expectation }) => findings.effects.includes(expectation))
  for (const call of proxy.calls.of(bench.orderIds)) transcript.add(entryOf(call))
  for (const { expectation, effect } of swept) if (effect) transcript.add(readingOf(expectation.orderId, effect))
  const { result, reason } = worstOf([...findings.verdicts, ...swept.map(({ verdict }) => verdict)])
  return { ...described, result, reason: redactor.text(reason), duration_ms: durationMs, transcript: transcript.entries() }
}

function readingOf(orderId: string, { state, fulfilled }: NonNullable<Swept['effect']>) {
  const response = { line: '200', headers: {}, body: JSON.stringify({ state, fulfilled }) }
  const request = { line: `GET /orders/${orderId}`, headers: {}, body: '' }
  return { at: new Date().toISOString(), kind: 'probe', note: 'at the end of the run', request, response } as const
}
