const DELTA_SECONDS = /^\d+$/u

const TIME = String.raw`\d{2}:\d{2}:\d{2}`
const DAY = '(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)'
const LONG_DAY = '(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day'
const MONTH = '(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)'
/** The form to be sent, and the two obsolete ones that are still to be read (RFC 9110, section 5.6.7). */
const IMF_FIXDATE = new RegExp(String.raw`^${DAY}, \d{2} ${MONTH} \d{4} ${TIME} GMT$`, 'u')
const RFC_850_DATE = new RegExp(String.raw`^${LONG_DAY}, \d{2}-${MONTH}-\d{2} ${TIME} GMT$`, 'u')
const ASCTIME_DATE = new RegExp(String.raw`^${DAY} ${MONTH} (?:\d{2}| \d) ${TIME} \d{4}$`, 'u')

/** No answer is understood to ask for more, in milliseconds; the schedule's longest level bounds it further. */
export const MAX_RETRY_AFTER_MS = 30 * 24 * 60 * 60 * 1000

/**
 * How long an answer asks to be left alone, in milliseconds from `now`: the value of its `Retry-After`, delta-seconds or
 * HTTP-date (RFC 9110, section 10.2.3). 0 to `MAX_RETRY_AFTER_MS`; a date that has passed is 0. What is neither is
 * `undefined`, as if it were not there.
 */
export function readRetryAfterMs(value: string, now: Date): number | undefined {
  const text = value.trim()
  const askedMs = DELTA_SECONDS.test(text) ? Number(text) * 1000 : instantMs(text) - now.getTime()
  return Number.isNaN(askedMs) ? undefined : Math.min(Math.max(askedMs, 0), MAX_RETRY_AFTER_MS)
}

/** NaN for what is no HTTP-date. */
function instantMs(text: string): number {
  if (IMF_FIXDATE.test(text) || RFC_850_DATE.test(text)) return Date.parse(text)
  return ASCTIME_DATE.test(text) ? Date.parse(`${text} GMT`) : Number.NaN
}
