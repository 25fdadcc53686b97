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

/** An instant such as `2026-01-31T00:00:00Z`, or a duration before now such as `10m`. */
export function instant(text: string): Date {
  const at = new Date(isDuration(text) ? Date.now() - duration(text) : Date.parse(text))
  if (!isValid(at)) throw new InvalidArgumentError('It is a time such as 2026-01-31T00:00:00Z, or how long ago, such as 10m.')
  return at
}

/** Full times: without a zone they would mean another instant on each machine. */
const FULL_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})$/u
const DAY = /^\d{4}-\d{2}-\d{2}$/u
const DAY_LENGTH = 10

/** The end of a list's range, as the gateway takes it: a full time, a day (its beginning in IST), or a duration before now. */
export function listTime(text: string): string {
  return listTimeAt(text, new Date())
}

/** @param now the time from which a duration counts back */
export function listTimeAt(text: string, now: Date): string {
  if (isDuration(text)) {
    const at = new Date(now.getTime() - duration(text))
    if (isValid(at)) return at.toISOString()
  }
  const full = DAY.test(text) ? `${text}T00:00:00+05:30` : text
  if (FULL_TIME.test(full) && isValid(new Date(full)) && isOfCalendar(full.slice(0, DAY_LENGTH))) return full
  throw new InvalidArgumentError(
    'It is a time with its zone such as 2026-01-31T00:00:00Z, a day such as 2026-01-31 (in IST), or how long ago, such as 30m, 2h or 3d.',
  )
}

/** An id that an order can have. The id is part of an address, where a slash would lead elsewhere. */
export function orderId(text: string): string {
  if (!/^[A-Za-z0-9_-]{3,45}$/u.test(text)) throw new InvalidArgumentError('An order id is 3 to 45 letters, digits, - or _.')
  return text
}

function isDuration(text: string): boolean {
  return /^\d+[a-z]+$/u.test(text)
}

function isValid(at: Date): boolean {
  return !Number.isNaN(at.getTime())
}

/** False for a 30th of February, which `Date` reads as a day in March. */
function isOfCalendar(day: string): boolean {
  const midnight = new Date(`${day}T00:00:00Z`)
  return isValid(midnight) && midnight.toISOString().startsWith(day)
}
