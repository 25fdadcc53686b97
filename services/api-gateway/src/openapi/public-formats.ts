import type { JsonSchema } from '@gateway/contracts'

/** A name, whose last part begins with a letter: a number there makes it an address. */
const HOST = '(?:[A-Za-z0-9_-]{1,63}\\.)*[A-Za-z][A-Za-z0-9_-]{0,62}\\.?'
/** No spaces, no backslash, no control characters, none that reverse the reading direction. */
const CHARACTER =
  '[^\\u0000-\\u0020\\u005c\\u007f-\\u00a0\\u1680\\u2000-\\u200a\\u2028-\\u202f\\u205f\\u2066-\\u2069\\u3000\\ufeff]'
const AFTER_HOST = `(?:[/?#]${CHARACTER}*)?`

const DAY = '[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])'
const HOUR_AND_MINUTE = '(?:[01][0-9]|2[0-3]):[0-5][0-9]'
const TIME = `${HOUR_AND_MINUTE}:[0-5][0-9](?:\\.[0-9]{1,9})?`
const ZONE = `(?:Z|[+-]${HOUR_AND_MINUTE})`

/** A digit that may follow a separator. */
const DIGIT = '(?:[ ._-]?[0-9])'
/** E.164: numbers of India and North America have ten digits after the code. Few others have more than 13 digits. */
const PHONE = `(?:tel:)?(?:(?:(?:\\+|0|00)?91[ ._-]?|0)?[6-9]${DIGIT}{9}|\\+91[ ._-]?[1-5]${DIGIT}{9}|\\+1[ ._-]?[2-9]${DIGIT}{9}|\\+(?:9[02-9]|[2-8][0-9])${DIGIT}{6,11})`

/**
 * What a client that knows only JSON Schema reads instead of a format of our own. The patterns are a little stricter than the
 * services, which also accept a port, an address as the host, a time without seconds, and brackets or the digits of other scripts in a
 * phone number: what matches is accepted.
 */
const PUBLIC_FORMATS: Readonly<Record<string, object>> = {
  'plain-text': { pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f\\u202a-\\u202e\\u2066-\\u2069]*$' },
  phone: { pattern: `^${PHONE}$` },
  'https-url': { pattern: `^https://${HOST}${AFTER_HOST}$` },
  'return-url-sandbox': { pattern: `^(?:https://${HOST}|http://localhost)${AFTER_HOST}$` },
  'date-time': { format: 'date-time', pattern: `^${DAY}T${TIME}${ZONE}$` },
}

/** The same schema, or parameter, or list of them, with standard formats and patterns at every level. A pattern of its own stays. */
export function withPublicFormats<T>(described: T): T
export function withPublicFormats(described: unknown): unknown {
  if (Array.isArray(described)) return described.map((one: unknown) => withPublicFormats(one))
  if (typeof described !== 'object' || described === null) return described
  const { format, ...others }: JsonSchema = { ...described }
  const copied = Object.fromEntries(Object.entries(others).map(([name, value]) => [name, withPublicFormats(value)]))
  if (typeof format !== 'string') return format === undefined ? copied : { ...copied, format: withPublicFormats(format) }
  return { ...(PUBLIC_FORMATS[format] ?? { format }), ...copied }
}
