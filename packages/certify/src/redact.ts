import { parseJson } from './json.ts'
import { createTextRedactor, HIDDEN, isHiddenName, MAX_READ_LENGTH, NOT_SHOWN, type TextRedactor } from './redact-text.ts'

/** Headers that help to understand an exchange and contain no secret. Of signatures, only their number is shown. */
const SHOWN = /^(?:webhook-(?:id|timestamp|signature|attempt|sequence|test)|content-type|retry-after|x-request-id)$/u
const MAX_SHOWN_LENGTH = 2000
const TOO_DEEP = '[not shown: nested too deeply]'

/** Hides what a report must not show. */
export interface Redactor {
  /** A line of text, such as the reason of a result. */
  text(text: string): string
  headers(headers: Readonly<Record<string, string>>): Record<string, string>
  /** JSON without the hidden fields, or text without what follows their names. JSON without them keeps its spacing. */
  body(body: string): string
}

/** @param secrets hidden in every text: a receiver's error page may print its environment */
export function createRedactor(secrets: readonly string[]): Redactor {
  const redactor = createTextRedactor(secrets)
  return {
    text: (text) => redactor.text(text),
    headers: (headers) => {
      const shown = Object.entries(headers).filter(([name]) => SHOWN.test(name.toLowerCase()))
      return Object.fromEntries(shown.map(([name, value]) => [name.toLowerCase(), redactor.text(redactHeader(name, value))]))
    },
    body: (body) => {
      if (body.length > MAX_READ_LENGTH) return NOT_SHOWN
      const text = shownOf(body, redactor)
      return text.length > MAX_SHOWN_LENGTH ? `${text.slice(0, MAX_SHOWN_LENGTH)}… (${text.length} characters)` : text
    },
  }
}

/** The address without user, password and query, which may contain secrets. */
export function redactUrl({ origin, pathname }: URL): string {
  return `${origin}${pathname}`
}

function redactHeader(name: string, value: string): string {
  if (name.toLowerCase() !== 'webhook-signature') return value
  return value
    .split(' ')
    .map((signature) => `${signature.slice(0, 3)}…`)
    .join(' ')
}

function shownOf(body: string, redactor: TextRedactor): string {
  const lines = redactor.lines(body)
  const value = parseJson(body)
  if (value === undefined) return lines
  try {
    const hidden = JSON.stringify(hide(value, redactor))
    // The text itself is searched, too: JSON may repeat a name, and only the last value is parsed.
    return lines === body && hidden === JSON.stringify(value) ? body : hidden
  } catch {
    return TOO_DEEP
  }
}

function hide(value: unknown, redactor: TextRedactor): unknown {
  if (typeof value === 'string') return hideInText(value, redactor)
  if (Array.isArray(value)) return value.map((one) => hide(one, redactor))
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value).map(([name, field]) => [
    redactor.text(name),
    isHiddenName(name) ? HIDDEN : hide(field, redactor),
  ])
  return Object.fromEntries(fields)
}

/** A text may itself be JSON. */
function hideInText(text: string, redactor: TextRedactor): string {
  return /^\s*[[{"]/u.test(text) ? shownOf(text, redactor) : redactor.text(text)
}
