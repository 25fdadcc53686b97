import { Ajv, type ErrorObject } from 'ajv'
import addFormats from 'ajv-formats'
import { type FieldError, ValidationFailed } from './errors.ts'

/** The parts of a JSON Schema that we read ourselves; ajv checks the rest when it compiles. */
export interface JsonSchema {
  readonly type?: string | readonly string[]
  readonly [keyword: string]: unknown
}

export interface Checker<T> {
  (value: unknown): value is T
  /** The value as what the schema says. Throws `ValidationFailed` with every bad field. */
  parse(value: unknown): T
}

/** Control characters, and those that make text read in another direction than it is written (Unicode UAX #9, overrides and isolates). */
const CONTROL_CHARACTER = /[\p{Cc}\u202A-\u202E\u2066-\u2069]/u

/** Text that a person can read: no control characters, no half of a surrogate pair. */
export function isPlainText(text: string): boolean {
  return text.isWellFormed() && !CONTROL_CHARACTER.test(text)
}

const ajv = new Ajv({ allErrors: true, strict: true, allowUnionTypes: true, $data: false })
addFormats.default(ajv, ['date-time', 'email', 'uri'])
ajv.addFormat('plain-text', isPlainText)
ajv.addFormat('https-url', isHttps)

// Merchants who build on their own machine come back to http://localhost.
ajv.addFormat('return-url-sandbox', (text) => isHttps(text) || (isUrl(text) && /^http:\/\/localhost(:\d+)?([/?#]|$)/u.test(text)))

/** Compiles a schema once, at start. `T` is inferred from the same schema by the caller. */
export function compile<T>(schema: JsonSchema): Checker<T> {
  const validate = ajv.compile<T>(schema)
  const check = (value: unknown): value is T => validate(value)
  const parse = (value: unknown): T => {
    if (validate(value)) return value
    throw new ValidationFailed(toFieldErrors(validate.errors ?? []))
  }
  return Object.assign(check, { parse })
}

/** More than a person reads, and than any schema of ours has fields: a body full of nonsense gets no answer that is larger. */
const MAX_FIELD_ERRORS = 100

function toFieldErrors(errors: readonly ErrorObject[]): FieldError[] {
  const byField = new Map<string, FieldError>()
  for (const error of errors) {
    if (byField.size === MAX_FIELD_ERRORS) break
    const field = fieldOf(error)
    // The first reason is enough; a second one about the same field only repeats it.
    if (!byField.has(field)) byField.set(field, { field, message: messageOf(error) })
  }
  return [...byField.values()]
}

function fieldOf({ instancePath, keyword, params }: ErrorObject): string {
  const child: unknown = keyword === 'required' ? params['missingProperty'] : params['additionalProperty']
  if (typeof child !== 'string') return instancePath || '/'
  return `${instancePath}/${child.replaceAll('~', '~0').replaceAll('/', '~1')}`
}

/** Where the name of a format says nothing to a merchant. */
const FORMAT_MESSAGES: Readonly<Record<string, string>> = {
  'plain-text': 'must have no control characters and be well-formed Unicode',
  'https-url': 'must be an HTTPS URL',
  'return-url-sandbox': 'must be an HTTPS URL, or begin with http://localhost',
}

function messageOf({ keyword, params, message }: ErrorObject): string {
  switch (keyword) {
    case 'required':
      return 'is required'
    case 'additionalProperties':
      return 'is not a known field'
    case 'enum':
      return `must be one of ${JSON.stringify(params['allowedValues'])}`
    case 'format':
      return FORMAT_MESSAGES[String(params['format'])] ?? `must be a valid ${String(params['format'])}`
    default:
      return message ?? 'is not valid'
  }
}

function isUrl(text: string): boolean {
  // A backslash is a slash to browsers and a letter to others, and user information makes one host look like another.
  if (!isPlainText(text) || /[\s\\]/u.test(text) || !URL.canParse(text)) return false
  const { username, password } = new URL(text)
  return username === '' && password === ''
}

function isHttps(text: string): boolean {
  return isUrl(text) && text.startsWith('https://')
}
