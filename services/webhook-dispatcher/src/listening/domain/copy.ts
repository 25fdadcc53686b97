/** How long copies are kept. */
export const COPY_TTL_MS = 60 * 60 * 1000

/** The instant so many milliseconds before. */
export function earlier(instant: Date, ms: number): Date {
  return new Date(instant.getTime() - ms)
}

/** Limits the instant to the time for which there can be copies: the last hour. */
export function withinTheHour(instant: Date, now: Date): Date {
  const oldest = earlier(now, COPY_TTL_MS)
  if (instant < oldest) return oldest
  return instant > now ? now : instant
}

const FIRST_HOUR_MS = Date.UTC(2026, 0, 1)
/** An hour holds fewer copies than this: 2,700 a second. */
const POSITIONS_PER_HOUR = 10_000_000

/**
 * The position before the first copy when no copies are left. Greater than every earlier one, since copies live an hour. Until 2037 it
 * is shorter than a card number, which has 13 digits.
 */
export function firstPosition(now: Date): number {
  return Math.floor((now.getTime() - FIRST_HOUR_MS) / COPY_TTL_MS) * POSITIONS_PER_HOUR
}

/** How far a session has come. */
export interface Progress {
  /** Every copy up to this position was sent; 0 before the first one. */
  readonly position: number
  /** The client has, or did not ask for, all webhooks created before this. */
  readonly since: Date
}

const TIME_RADIX = 36
/** The time is in base 36, since its 13 digits could be a card number. */
const PROGRESS = /^(?<position>\d{1,16})-(?<since>[\da-z]{1,9})$/u

/** The progress as the `id` of a server-sent event. */
export function formatProgress({ position, since }: Progress): string {
  return `${position}-${since.getTime().toString(TIME_RADIX)}`
}

/** The progress in a `Last-Event-ID`; `undefined` when this is no id of an event. */
export function parseProgress(id: string): Progress | undefined {
  const { position: digits, since = '' } = PROGRESS.exec(id)?.groups ?? {}
  const position = Number(digits)
  if (!Number.isSafeInteger(position)) return undefined
  return { position, since: new Date(Number.parseInt(since, TIME_RADIX)) }
}
