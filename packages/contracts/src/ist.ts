/** India has one zone and no daylight saving: IST is UTC + 5:30 all year. */
const IST_OFFSET_MS = 330 * 60 * 1000

/** `YYYY-MM-DD HH:mm:ss` in IST, the `datetime` of a webhook (specification, section 6.2). */
export function formatIst(instant: Date): string {
  return new Date(instant.getTime() + IST_OFFSET_MS).toISOString().slice(0, 19).replace('T', ' ')
}
