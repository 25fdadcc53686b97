import { parseJson } from './json.ts'

/** Headers that help to understand an exchange and contain no secret. Of signatures, only their number is shown. */
const SHOWN = /^(?:webhook-(?:id|timestamp|signature|attempt|sequence|test)|content-type|retry-after|x-request-id)$/u
/** Personal data, checkout links and secrets, wherever they are in a body. */
const HIDDEN_FIELD = /^(?:customer|payer|payee|email|phone|checkout|token|.*secret.*|password)$/iu
const MAX_BODY_LENGTH = 2000
const HIDDEN = '[redacted]'

export function redactHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const shown = Object.entries(headers).filter(([name]) => SHOWN.test(name.toLowerCase()))
  return Object.fromEntries(shown.map(([name, value]) => [name.toLowerCase(), redactHeader(name, value)]))
}

function redactHeader(name: string, value: string): string {
  if (name.toLowerCase() !== 'webhook-signature') return value
  return value
    .split(' ')
    .map((signature) => `${signature.slice(0, 3)}…`)
    .join(' ')
}

/** JSON without the hidden fields; other text is cut to a limit. JSON without hidden fields keeps its spacing. */
export function redactBody(body: string): string {
  const value = parseJson(body)
  const hidden = value === undefined ? undefined : hide(value)
  const text = hidden === undefined || JSON.stringify(hidden) === JSON.stringify(value) ? body : JSON.stringify(hidden)
  return text.length > MAX_BODY_LENGTH ? `${text.slice(0, MAX_BODY_LENGTH)}… (${text.length} characters)` : text
}

function hide(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((one) => hide(one))
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value).map(([name, field]) => [name, HIDDEN_FIELD.test(name) ? HIDDEN : hide(field)])
  return Object.fromEntries(fields)
}
