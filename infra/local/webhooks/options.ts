import { parseArgs, type ParseArgsConfig } from 'node:util'
import { parseInstant } from '@gateway/contracts'
import { UserError } from '@gateway-infra/system/user-error'

type Options = NonNullable<ParseArgsConfig['options']>

/** Options that select deliveries. */
export const FILTER_OPTIONS = {
  merchant: { type: 'string' },
  since: { type: 'string' },
  until: { type: 'string' },
  reason: { type: 'string' },
  url: { type: 'string' },
} as const

/** Parses options and positionals; throws a `UserError` for unknown ones. */
export function readOptions<const O extends Options>(args: readonly string[], options: O) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true, strict: true })
  } catch (error) {
    throw new UserError(error instanceof Error ? error.message : String(error))
  }
}

const AGO = /^(\d{1,6})(m|h|d)$/u
const UNIT_MS = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const

/** An instant in ISO 8601, from a date or time (`2026-11-21`, `2026-11-21T10:00:00Z`) or an age (`90m`, `24h`, `7d`). */
export function readInstant(name: string, text: string | undefined, now: Date): string | undefined {
  if (text === undefined) return undefined
  const [, count, unit] = AGO.exec(text) ?? []
  if (unit === 'm' || unit === 'h' || unit === 'd') return new Date(now.getTime() - Number(count) * UNIT_MS[unit]).toISOString()
  const instant = parseInstant(text)
  if (!instant) throw new UserError(`--${name} must be a time such as 2026-11-21T10:00:00Z, or 24h`)
  return instant.toISOString()
}

interface FilterValues {
  readonly merchant?: string | undefined
  readonly since?: string | undefined
  readonly until?: string | undefined
  readonly reason?: string | undefined
  readonly url?: string | undefined
}

/** The filter in the operator API's form. */
export function readFilter({ merchant, since, until, reason, url }: FilterValues, now: Date) {
  return {
    merchant_id: merchant,
    from: readInstant('since', since, now),
    to: readInstant('until', until, now),
    reason,
    url,
  }
}
