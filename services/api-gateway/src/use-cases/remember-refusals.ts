import { boundedCache } from '@gateway/service-kit/limits'

/** Tokens that were refused a moment ago: they are refused again without another exchange. */
export interface RefusalMemory {
  /** Throws the refusal that was kept under the key, while it is remembered. */
  throwIfRefused(key: string): void
  keep(key: string, refusal: Error): void
}

/** Short: a token becomes valid when it was made by a clock that is slightly too far ahead. */
export const REMEMBER_MS = 2000

const MAX_REFUSALS = 20_000

export function createRefusalMemory(now: () => Date): RefusalMemory {
  const refusals = boundedCache<{ readonly refusal: Error; readonly untilMs: number }>(MAX_REFUSALS)
  return {
    throwIfRefused(key) {
      const found = refusals.get(key)
      if (!found) return
      if (now().getTime() < found.untilMs) throw found.refusal
      refusals.delete(key)
    },
    keep: (key, refusal) => void refusals.set(key, { refusal, untilMs: now().getTime() + REMEMBER_MS }),
  }
}
