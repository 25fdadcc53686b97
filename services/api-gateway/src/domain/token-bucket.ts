/** A token bucket. It starts full and holds the tokens of one second. Whole numbers, so that rounding loses nothing. */
export interface Bucket {
  /** Thousandths of a token. */
  readonly milliTokens: number
  readonly atMs: number
}

export interface Taken {
  readonly bucket: Bucket
  /** 0 when a token was taken; otherwise milliseconds until the next token is available. */
  readonly waitMs: number
}

const ONE_TOKEN = 1000

/** Takes one token. `perSecond` is a whole number of at least 1. A clock that runs backwards adds no tokens. */
export function takeToken(bucket: Bucket | undefined, perSecond: number, nowMs: number): Taken {
  const full = perSecond * ONE_TOKEN
  const before = bucket ?? { milliTokens: full, atMs: Math.floor(nowMs) }
  const atMs = Math.max(before.atMs, Math.floor(nowMs))
  // `perSecond` tokens a second are `perSecond` thousandths of a token a millisecond.
  const milliTokens = Math.min(full, before.milliTokens + (atMs - before.atMs) * perSecond)
  if (milliTokens >= ONE_TOKEN) return { bucket: { milliTokens: milliTokens - ONE_TOKEN, atMs }, waitMs: 0 }
  return { bucket: { milliTokens, atMs }, waitMs: Math.ceil((ONE_TOKEN - milliTokens) / perSecond) }
}
