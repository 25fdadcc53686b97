import type { ErrorObject } from 'ajv'
import type { FieldError } from './errors.ts'
import { holdsCardNumber } from './card-numbers/find-cards.ts'
import { formatMessage } from './formats.ts'

/** More fields than any of our schemas has: a body full of unknown fields cannot cause a larger answer. */
const MAX_FIELD_ERRORS = 100

/** Longer than the pointer of any known field. An unknown field may have a name of any length. */
export const MAX_POINTER_CHARACTERS = 200

const BRANCH = /\/anyOf\/\d+\//u

const NAME = /^[a-z_][\w.-]{0,63}$/iu

/** A name that a field could have, else `?`: one that the caller chose may be anything, such as a card number or an address. */
export function shownName(name: string): string {
  return NAME.test(name) && !holdsCardNumber(name, 'any') ? name : '?'
}

/** What ajv found, as one entry for each bad field. */
export function toFieldErrors(errors: readonly ErrorObject[]): FieldError[] {
  const byField = new Map<string, FieldError>()
  for (const error of errors) {
    if (byField.size === MAX_FIELD_ERRORS) break
    // `anyOf` itself says what is allowed; one of its branches alone would demand too much.
    if (BRANCH.test(error.schemaPath)) continue
    const field = fieldOf(error).slice(0, MAX_POINTER_CHARACTERS)
    // The first reason is enough; a second one about the same field only repeats it.
    if (!byField.has(field)) byField.set(field, { field, message: messageOf(error) })
  }
  return [...byField.values()]
}

function fieldOf({ instancePath, keyword, params }: ErrorObject): string {
  const child: unknown = keyword === 'required' ? params['missingProperty'] : params['additionalProperty']
  if (typeof child !== 'string') return instancePath || '/'
  const name = keyword === 'required' ? child : shownName(child)
  return `${instancePath}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
}

function messageOf({ keyword, params, message, parentSchema, data }: ErrorObject): string {
  switch (keyword) {
    case 'required':
      return 'is required'
    case 'additionalProperties':
      return 'is not a known field'
    case 'enum':
      return `must be one of ${JSON.stringify(params['allowedValues'])}`
    case 'format':
      if (typeof data === 'string' && holdsCardNumber(data)) return 'must not hold a card number'
      return allowedIn(parentSchema) ?? formatMessage(String(params['format']))
    default:
      return allowedIn(parentSchema) ?? message ?? 'is not valid'
  }
}

/** A field's description begins with what is allowed; remarks stand behind a semicolon. */
function allowedIn(schema: object | undefined): string | undefined {
  const description = schema && 'description' in schema ? schema.description : undefined
  return typeof description === 'string' ? `must be ${description.replace(/;.*/su, '')}` : undefined
}
