import { createBench, type Bench } from './bench/bench.ts'
import { pause, type World } from './bench/world.ts'
import { CHECKS } from './checks/all.ts'
import type { Check, CheckDescription, Findings } from './checks/check.ts'
import { expected, worstOf, type Effect, type Expectation } from './judge.ts'
import { createRedactor } from './redact.ts'
import type { CheckReport } from './report/report.ts'
import { createTranscript, type Entry, type Transcript } from './transcript.ts'
import { entryOf } from './wire/calls.ts'

export interface RunOptions {
  /** Numbers of the checks to run; the others are `skipped`. `undefined`: all checks. */
  readonly only: readonly number[] | undefined
  /** Never shown in a transcript. */
  readonly secrets: readonly string[]
  /** Called when a check begins. */
  readonly onBegin: (check: CheckDescription) => void
}

interface Begun {
  readonly bench: Bench
  readonly transcript: Transcript
  readonly findings: Findings
  readonly durationMs: number
}

/**
 * Runs the checks, then reads every effect. The reports are sorted by check number. Throws the error of the first check that throws;
 * the caller then aborts `world.signal`, which ends the other checks.
 */
export async function runChecks(world: World, options: RunOptions): Promise<readonly CheckReport[]> {
  const chosen = CHECKS.filter(({ check }) => options.only?.includes(check) ?? true)
  const begun = new Map<Check, Begun>()
  const begin = async (check: Check): Promise<void> => void begun.set(check, await runCheck(check, world, options))
  const oneByOne = async (): Promise<void> => {
    for (const check of chosen) if (check.isLong !== true) await begin(check)
  }
  // The long checks wait for orders to expire, while the others run one after the other.
  await Promise.all([oneByOne(), ...chosen.filter(({ isLong }) => isLong === true).map(begin)])
  const expectations = [...begun.values()].flatMap(({ findings }) => findings.effects)
  const swept = await sweep(world, expectations)
  return CHECKS.map((one) => {
    const { check, name, title, clause } = one
    const done = begun.get(one)
    const result = done
      ? resultOf(done, swept, world, options)
      : ({ result: 'skipped', reason: 'It was not selected.', duration_ms: 0, transcript: [] } as const)
    return { check, name, title, clause, ...result }
  })
}

async function runCheck(check: Check, world: World, { onBegin, secrets }: RunOptions): Promise<Begun> {
  world.signal.throwIfAborted()
  onBegin(check)
  const transcript = createTranscript(secrets)
  const bench = createBench(world, transcript)
  const startedMs = performance.now()
  const findings = await check.run(bench)
  return { bench, transcript, findings, durationMs: Math.round(performance.now() - startedMs) }
}

function resultOf(
  { findings, transcript, bench, durationMs }: Begun,
  all: readonly Swept[],
  { proxy }: World,
  { secrets }: RunOptions,
): Omit<CheckReport, keyof CheckDescription> {
  const swept = all.filter(({ expectation }) => findings.effects.includes(expectation))
  for (const call of proxy.calls.of(bench.orderIds)) transcript.add(entryOf(call))
  for (const { expectation, effect } of swept) if (effect) transcript.add(readingOf(expectation.orderId, effect))
  const { result, reason } = worstOf([...findings.verdicts, ...swept.map(({ verdict }) => verdict)])
  return { result, reason: createRedactor(secrets).text(reason), duration_ms: durationMs, transcript: transcript.entries() }
}

function readingOf(orderId: string, { state, fulfilled }: Effect): Entry {
  const response = { line: '200', headers: {}, body: JSON.stringify({ state, fulfilled }) }
  const request = { line: `GET /orders/${orderId}`, headers: {}, body: '' }
  return { at: new Date().toISOString(), kind: 'probe', note: 'at the end of the run', request, response }
}

type Swept = Awaited<ReturnType<typeof sweep>>[number]

const POLL_MS = 300

/**
 * Reads the effects on all orders until each is as expected or the time is up. Then it reads them again after a pause, because a
 * second, wrong fulfilment may come late.
 */
async function sweep({ probe, timing, signal }: World, expectations: readonly Expectation[]) {
  const read = async () => {
    const swept = []
    for (const expectation of expectations) {
      const effect = await probe?.effectOn(expectation.orderId)
      swept.push({ expectation, effect, verdict: expected(expectation, effect) })
    }
    return swept
  }
  if (!probe || expectations.length === 0) return read()
  const endsAtMs = Date.now() + timing.effectMs
  while (!(await read()).every(({ verdict }) => verdict.result === 'pass') && Date.now() < endsAtMs) await pause(POLL_MS, signal)
  await pause(timing.settleMs, signal)
  return read()
}
