import { parseArgs, type ParseArgsConfig } from 'node:util'
import { parseInstantOrAge } from '@gateway/contracts'
import { UserError } from './api.ts'

/** Parses options and positionals; throws a `UserError` for unknown ones. */
export function readOptions<const O extends NonNullable<ParseArgsConfig['options']>>(args: readonly string[], options: O) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true, strict: true })
  } catch (error) {
    throw new UserError(error instanceof Error ? error.message : String(error))
  }
}

/** Options that select deliveries. */
export const FILTER_OPTIONS = {
  merchant: { type: 'string' },
  since: { type: 'string' },
  until: { type: 'string' },
  reason: { type: 'string' },
  url: { type: 'string' },
} as const

/** An instant in ISO 8601, from a date or time (`2026-11-21`, `2026-11-21T10:00:00Z`) or an age (`90m`, `24h`, `7d`). */
export function readInstant(name: string, text: string | undefined, now: Date): string | undefined {
  if (text === undefined) return undefined
  const instant = parseInstantOrAge(text, now)
  if (!instant) throw new UserError(`--${name} must be a time such as 2026-11-21T10:00:00Z, or 24h`)
  return instant.toISOString()
}

type FilterValues = Readonly<Partial<Record<keyof typeof FILTER_OPTIONS, string | undefined>>>

/** The filter in the operator API's form. */
export function readFilter({ merchant, since, until, reason, url }: FilterValues, now: Date) {
  const [from, to] = [readInstant('since', since, now), readInstant('until', until, now)]
  return { merchant_id: merchant, from, to, reason, url }
}

/** A whole number within bounds. */
export function readWhole(
  name: string,
  text: string | undefined,
  fallback: number,
  [least, most]: readonly [number, number],
): number {
  const value = Number(text ?? fallback)
  if (Number.isInteger(value) && value >= least && value <= most) return value
  throw new UserError(`--${name} must be a whole number ${most === Infinity ? `above ${least - 1}` : `from ${least} to ${most}`}`)
}
