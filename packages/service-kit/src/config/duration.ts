const DURATION = /^(\d+)(ms|s|m|h|d)$/u
const UNIT_MS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

/** `"10s"` in milliseconds; units are ms, s, m, h and d. Returns `undefined` for any other text. */
export function parseDurationMs(text: string): number | undefined {
  const [, count, unit] = DURATION.exec(text) ?? []
  if (count === undefined || unit === undefined) return undefined
  return Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS]
}

const TEN_YEARS_MS = 3650 * 24 * 60 * 60 * 1000

/** Like `parseDurationMs`, and refuses 0 and everything beyond ten years. */
export function usableMs(text: string): number | undefined {
  const durationMs = parseDurationMs(text.trim())
  return durationMs !== undefined && durationMs > 0 && durationMs <= TEN_YEARS_MS ? durationMs : undefined
}
