import { pause } from './bench/world.ts'
import { expected, type Effect, type Expectation } from './judge.ts'
import type { Timing } from './timing.ts'
import type { Verdict } from './verdict.ts'
import type { Probe } from './wire/probe.ts'

/** The last effect on each order, and what it means. */
export interface Swept {
  readonly expectation: Expectation
  readonly effect: Effect | undefined
  readonly verdict: Verdict
}

const POLL_MS = 300

/**
 * Reads the effects on all orders until each is as expected or the time is up. Then it reads them again after a pause, because a
 * second, wrong fulfilment may come late.
 */
export async function sweep(
  probe: Probe | undefined,
  expectations: readonly Expectation[],
  { effectMs, settleMs }: Pick<Timing, 'effectMs' | 'settleMs'>,
  signal: AbortSignal,
): Promise<readonly Swept[]> {
  const read = async (): Promise<Swept[]> => {
    const swept: Swept[] = []
    for (const expectation of expectations) {
      const effect = await probe?.effectOn(expectation.orderId)
      swept.push({ expectation, effect, verdict: expected(expectation, effect) })
    }
    return swept
  }
  if (!probe || expectations.length === 0) return read()
  const endsAtMs = Date.now() + effectMs
  while (!(await read()).every(({ verdict }) => verdict.result === 'pass') && Date.now() < endsAtMs) await pause(POLL_MS, signal)
  await pause(settleMs, signal)
  return read()
}
