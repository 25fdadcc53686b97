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
