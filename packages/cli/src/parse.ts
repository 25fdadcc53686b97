import { InvalidArgumentError } from 'commander'

const UNITS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 } as const

/** `500ms`, `30s`, `10m`, `1h` in milliseconds. */
export function duration(text: string): number {
  const [, number, unit] = /^(\d{1,9})(ms|s|m|h)$/u.exec(text) ?? []
  const factor = Object.entries(UNITS).find(([name]) => name === unit)?.[1]
  if (number === undefined || factor === undefined)
    throw new InvalidArgumentError('It is a number with a unit, such as 500ms, 30s, 10m or 1h.')
  return Number(number) * factor
}

export function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/u.test(text)) throw new InvalidArgumentError('It is a whole number.')
  return Number(text)
}

/** An instant such as `2026-01-31T00:00:00Z`, or a duration before now such as `10m`. */
export function instant(text: string): Date {
  const at = /^\d+[a-z]+$/u.test(text) ? Date.now() - duration(text) : Date.parse(text)
  if (Number.isNaN(at)) throw new InvalidArgumentError('It is a time such as 2026-01-31T00:00:00Z, or how long ago, such as 10m.')
  return new Date(at)
}
