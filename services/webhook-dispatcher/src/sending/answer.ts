const MAX_EXCERPT_BYTES = 1024

/** The beginning of a response body as printable text of at most 1 KiB; `null` when it is empty. */
export function excerptOf(body: Buffer): string | null {
  if (body.length === 0) return null
  const text = body.subarray(0, MAX_EXCERPT_BYTES).toString('utf8').toWellFormed()
  const printable = text.replaceAll(/[\p{Cc}\p{Cf}\p{Co}\p{Cn}\uFFFD]+/gu, ' ').trim()
  return printable === '' ? null : printable
}

const DELTA_SECONDS = /^\d+$/u

const TIME = String.raw`\d{2}:\d{2}:\d{2}`
const DAY = '(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)'
const LONG_DAY = '(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day'
const MONTH = '(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)'
/** The current date format, and the two obsolete ones that recipients must accept (RFC 9110, section 5.6.7). */
const IMF_FIXDATE = new RegExp(String.raw`^${DAY}, \d{2} ${MONTH} \d{4} ${TIME} GMT$`, 'u')
const RFC_850_DATE = new RegExp(String.raw`^${LONG_DAY}, \d{2}-${MONTH}-\d{2} ${TIME} GMT$`, 'u')
const ASCTIME_DATE = new RegExp(String.raw`^${DAY} ${MONTH} (?:\d{2}| \d) ${TIME} \d{4}$`, 'u')

/** Longer values are cut to this; the schedule's longest delay bounds the wait further. */
export const MAX_RETRY_AFTER_MS = 30 * 24 * 60 * 60 * 1000

/**
 * Reads `Retry-After`: delta-seconds or an HTTP-date (RFC 9110, section 10.2.3), in milliseconds from `now`. 0 to
 * `MAX_RETRY_AFTER_MS`; a date in the past is 0. `undefined` for any other value, as if the header were missing.
 */
export function readRetryAfterMs(value: string, now: Date): number | undefined {
  const text = value.trim()
  const askedMs = DELTA_SECONDS.test(text) ? Number(text) * 1000 : instantMs(text) - now.getTime()
  return Number.isNaN(askedMs) ? undefined : Math.min(Math.max(askedMs, 0), MAX_RETRY_AFTER_MS)
}

/** NaN when the text is no HTTP-date. */
function instantMs(text: string): number {
  if (IMF_FIXDATE.test(text) || RFC_850_DATE.test(text)) return Date.parse(text)
  return ASCTIME_DATE.test(text) ? Date.parse(`${text} GMT`) : Number.NaN
}
