import { InvalidArgumentError } from 'commander'

const UNITS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

/** `500ms`, `30s`, `10m`, `1h`, `3d` in milliseconds. */
export function duration(text: string): number {
  const [, number, unit] = /^(\d{1,9})(ms|s|m|h|d)$/u.exec(text) ?? []
  const factor = Object.entries(UNITS).find(([name]) => name === unit)?.[1]
  if (number === undefined || factor === undefined)
    throw new InvalidArgumentError('It is a number with a unit, such as 500ms, 30s, 10m, 1h or 3d.')
  return Number(number) * factor
}

export function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/u.test(text)) throw new InvalidArgumentError('It is a whole number.')
  return Number(text)
}

/** A full time needs its zone: without one, each machine would read another instant. RFC 3339 allows a space and small letters. */
const FULL_TIME = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(Z|[+-]\d{2}:?\d{2})$/iu
const DAY = /^\d{4}-\d{2}-\d{2}$/u

/** A time in the gateway's format, from a full time, a day (its beginning in IST) or a duration before now. */
export function time(text: string): string {
  return timeAt(text, new Date())
}

/** Like `time`, as a `Date`. */
export function instant(text: string): Date {
  return new Date(time(text))
}

/** @param now the time from which a duration counts back */
export function timeAt(text: string, now: Date): string {
  if (/^\d+[a-z]+$/u.test(text)) {
    const at = new Date(now.getTime() - duration(text))
    if (isValid(at)) return at.toISOString()
  }
  if (DAY.test(text) && isOfCalendar(text)) return `${text}T00:00:00+05:30`
  const [, date = '', clock = '', zone = ''] = FULL_TIME.exec(text) ?? []
  const full = `${date}T${clock}${zone.toUpperCase().replace(/^(.\d{2})(?=\d)/u, '$1:')}`
  if (isOfCalendar(date) && isValid(new Date(full))) return full
  throw new InvalidArgumentError(
    'It is a time with its zone such as 2026-01-31T00:00:00Z, a day such as 2026-01-31 (in IST), or how long ago, such as 30m, 2h or 3d.',
  )
}

/** A day of the calendar. */
export function day(text: string): string {
  if (!DAY.test(text) || !isOfCalendar(text)) throw new InvalidArgumentError('It is a day such as 2026-01-31.')
  return text
}

/** An id that an order can have. The id is part of an address, where a slash would lead elsewhere. */
export function orderId(text: string): string {
  if (!/^[A-Za-z0-9_-]{3,45}$/u.test(text)) throw new InvalidArgumentError('An order id is 3 to 45 letters, digits, - or _.')
  return text
}

function isValid(at: Date): boolean {
  return !Number.isNaN(at.getTime())
}

/** False for a 30th of February, which `Date` reads as a day in March. */
function isOfCalendar(date: string): boolean {
  const midnight = new Date(`${date}T00:00:00Z`)
  return isValid(midnight) && midnight.toISOString().startsWith(date)
}
