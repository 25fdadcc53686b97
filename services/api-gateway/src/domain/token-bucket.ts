/** A token bucket (RFC 2697 calls its parts rate and burst): full at first, it holds one second's worth. */
export interface Bucket {
  readonly tokens: number
  readonly atMs: number
}

export interface Taken {
  readonly bucket: Bucket
  /** 0 when a token was there; else how long until the next one is, in milliseconds. */
  readonly waitMs: number
}

/** Takes one token. A clock that goes backwards gives none back and takes none away. */
export function takeToken(bucket: Bucket | undefined, perSecond: number, nowMs: number): Taken {
  const before = bucket ?? { tokens: perSecond, atMs: nowMs }
  const atMs = Math.max(before.atMs, nowMs)
  const tokens = Math.min(perSecond, before.tokens + ((atMs - before.atMs) * perSecond) / 1000)
  if (tokens >= 1) return { bucket: { tokens: tokens - 1, atMs }, waitMs: 0 }
  return { bucket: { tokens, atMs }, waitMs: Math.ceil(((1 - tokens) * 1000) / perSecond) }
}
