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
