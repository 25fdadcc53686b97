/** A token bucket: full at first, it holds one second's worth. In whole numbers, so that nothing is lost in rounding. */
export interface Bucket {
  /** Thousandths of a token. */
  readonly milliTokens: number
  readonly atMs: number
}

export interface Taken {
  readonly bucket: Bucket
  /** 0 when a token was there; else how long until the next one is, in milliseconds. */
  readonly waitMs: number
}

const ONE_TOKEN = 1000

/** Takes one token; `perSecond` is a whole number from 1. A clock that goes backwards changes nothing. */
export function takeToken(bucket: Bucket | undefined, perSecond: number, nowMs: number): Taken {
  const full = perSecond * ONE_TOKEN
  const before = bucket ?? { milliTokens: full, atMs: Math.floor(nowMs) }
  const atMs = Math.max(before.atMs, Math.floor(nowMs))
  // So many tokens flow in each second as thousandths do each millisecond.
  const milliTokens = Math.min(full, before.milliTokens + (atMs - before.atMs) * perSecond)
  if (milliTokens >= ONE_TOKEN) return { bucket: { milliTokens: milliTokens - ONE_TOKEN, atMs }, waitMs: 0 }
  return { bucket: { milliTokens, atMs }, waitMs: Math.ceil((ONE_TOKEN - milliTokens) / perSecond) }
}
