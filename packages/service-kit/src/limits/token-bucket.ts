/** A token bucket. It starts full and holds the tokens of one second. Whole numbers, so that rounding loses nothing. */
export interface Bucket {
  /** Thousandths of a token; below zero when tokens were charged that the bucket did not hold. */
  readonly milliTokens: number
  readonly atMs: number
}

export interface Taken {
  readonly bucket: Bucket
  /** 0 when a token was taken; otherwise milliseconds until the next token is available. */
  readonly waitMs: number
}

const ONE_TOKEN = 1000

/** A caller that was charged for a burst pays it back in at most this time. */
const MAX_DEBT_SECONDS = 10

/** Takes one token. `perSecond` is a whole number of at least 1. A clock that runs backwards adds no tokens. */
export function takeToken(bucket: Bucket | undefined, perSecond: number, nowMs: number): Taken {
  const now = refilled(bucket, perSecond, nowMs)
  const waitMs = waitMsOf(now, perSecond)
  return { bucket: waitMs === 0 ? { ...now, milliTokens: now.milliTokens - ONE_TOKEN } : now, waitMs }
}

/** Milliseconds until the bucket has so many tokens; 0 when it has them. */
export function waitMsOf({ milliTokens }: Bucket, perSecond: number, tokens = 1): number {
  const missing = tokens * ONE_TOKEN - milliTokens
  return missing <= 0 ? 0 : Math.ceil(missing / perSecond)
}

/** Takes one token even when there is none: what was done already has to be paid for. */
export function chargeToken(bucket: Bucket | undefined, perSecond: number, nowMs: number): Bucket {
  const { milliTokens, atMs } = refilled(bucket, perSecond, nowMs)
  return { milliTokens: Math.max(milliTokens - ONE_TOKEN, -MAX_DEBT_SECONDS * perSecond * ONE_TOKEN), atMs }
}

/** Puts a token back that was taken for nothing. */
export function returnToken(bucket: Bucket | undefined, perSecond: number, nowMs: number): Bucket {
  const { milliTokens, atMs } = refilled(bucket, perSecond, nowMs)
  return { milliTokens: Math.min(milliTokens + ONE_TOKEN, perSecond * ONE_TOKEN), atMs }
}

/** The bucket with the tokens that were added since it was last used. */
export function refilled(bucket: Bucket | undefined, perSecond: number, nowMs: number): Bucket {
  const full = perSecond * ONE_TOKEN
  const before = bucket ?? { milliTokens: full, atMs: Math.floor(nowMs) }
  const atMs = Math.max(before.atMs, Math.floor(nowMs))
  // `perSecond` tokens a second are `perSecond` thousandths of a token a millisecond.
  return { milliTokens: Math.min(full, before.milliTokens + (atMs - before.atMs) * perSecond), atMs }
}
