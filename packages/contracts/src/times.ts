const DATE = /^\d{4}-\d{2}-\d{2}$/u
const TIME = /^T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})$/u
const DATE_LENGTH = 10
const LAST = new Date('9999-12-31T23:59:59.999Z')
const CANONICAL_LENGTH = LAST.toISOString().length

/**
 * An instant in ISO 8601: a day (`2026-11-21`, its first moment in UTC), or a time with its zone (`2026-11-21T10:00:00Z`).
 * `undefined` for any other text: `Date` would also accept `1`, `11/12/2026` or a 31st of February, and it reads a time without
 * a zone in the zone of the machine.
 */
export function parseInstant(text: string): Date | undefined {
  const instant = new Date(text)
  if (Number.isNaN(instant.getTime())) return undefined
  // As the services write it: only a day of the calendar gives the same text again.
  if (text.length === CANONICAL_LENGTH && instant.toISOString() === text) return instant
  const [day, time] = [text.slice(0, DATE_LENGTH), text.slice(DATE_LENGTH)]
  if (!DATE.test(day) || (time !== '' && !TIME.test(time))) return undefined
  const midnight = new Date(`${day}T00:00:00Z`)
  if (Number.isNaN(midnight.getTime())) return undefined
  // A zone may lead into the year 10000, whose text sorts before all others.
  if (instant > LAST) return undefined
  // A 31st of February became the 3rd of March.
  return midnight.getUTCDate() === Number(day.slice(-2)) ? instant : undefined
}

const AGO = /^(\d{1,6})(m|h|d)$/u
const UNIT_MS = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const

/** An instant as operators write it: as `parseInstant` reads it, or an age before `now` such as `90m`, `24h`, `7d`. */
export function parseInstantOrAge(text: string, now: Date): Date | undefined {
  const [, count, unit] = AGO.exec(text) ?? []
  if (unit === 'm' || unit === 'h' || unit === 'd') return new Date(now.getTime() - Number(count) * UNIT_MS[unit])
  return parseInstant(text)
}

/** The instant in a field that its schema has already checked; `undefined` for a field that is missing. */
export function instantOf(text: string): Date
export function instantOf(text: string | undefined): Date | undefined
export function instantOf(text: string | undefined): Date | undefined {
  return text === undefined ? undefined : new Date(text)
}

/** India has one zone and no daylight saving: IST is UTC + 5:30 all year. */
const IST_OFFSET_MS = 330 * 60 * 1000

/** `YYYY-MM-DD HH:mm:ss` in IST, the `datetime` of a webhook (specification, section 6.2). */
export function formatIst(instant: Date): string {
  return new Date(instant.getTime() + IST_OFFSET_MS).toISOString().slice(0, 19).replace('T', ' ')
}

const DAY_MS = 24 * 60 * 60 * 1000

/** The last millisecond, in IST, of the day that is `days` calendar days after an instant's. */
export function istDayEnd(instant: Date, days: number): Date {
  const day = Math.floor((instant.getTime() + IST_OFFSET_MS) / DAY_MS)
  return new Date((day + days + 1) * DAY_MS - IST_OFFSET_MS - 1)
}

/** The calendar day in IST, such as `2026-11-21`. */
export function istDay(instant: Date): string {
  return formatIst(instant).slice(0, 10)
}

/** When a day such as `2026-11-21` begins in IST; `undefined` for text that is not a day of the calendar. */
export function istDayStart(day: string): Date | undefined {
  const utc = /^\d{4}-\d{2}-\d{2}$/u.test(day) ? new Date(`${day}T00:00:00Z`) : undefined
  // `Date` reads 2026-02-30 as a day in March.
  if (!utc || Number.isNaN(utc.getTime()) || utc.toISOString().slice(0, 10) !== day) return undefined
  return new Date(utc.getTime() - IST_OFFSET_MS)
}

/** The day that is `days` calendar days after a day. */
export function addDays(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10)
}

/** Minutes and seconds of a countdown, such as `9:05`. */
export function formatCountdown(ms: number): string {
  const seconds = Math.ceil(ms / 1000)
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}
