import { isUtf8 } from 'node:buffer'
import { ValidationFailed } from './errors.ts'
import { MAX_POINTER_CHARACTERS, shownName } from './field-errors.ts'

/**
 * Bytes in UTF-8 as text, without a byte order mark, which a parser of JSON may ignore (RFC 8259, section 8.1). `undefined` for
 * other bytes: decoding would silently replace characters.
 */
export function utf8Text(bytes: Buffer): string | undefined {
  if (!isUtf8(bytes)) return undefined
  const text = bytes.toString('utf8')
  return text.startsWith('\ufeff') ? text.slice(1) : text
}

/** A JSON escape of half a surrogate pair. UTF-8 itself has no form for a half, so escapes are the only source. */
const HALF = /\\u[dD][89a-fA-F]/u

/**
 * Throws `ValidationFailed` for the first text in `parsed`, which JSON.parse made of `text`, that has half of a surrogate pair. No
 * encoding has bytes for it, so another character would be stored.
 */
export function refuseHalfCharacters(text: string, parsed: unknown): void {
  if (!HALF.test(text)) return
  const left: { readonly field: string; readonly value: unknown }[] = [{ field: '', value: parsed }]
  for (let next = left.pop(); next; next = left.pop()) {
    const { field, value } = next
    if (typeof value === 'string' && !value.isWellFormed()) throw halfCharacter(field)
    if (typeof value !== 'object' || value === null) continue
    for (const [name, inner] of Object.entries(value)) {
      if (!name.isWellFormed()) throw halfCharacter(field)
      left.push({ field: `${field}/${Array.isArray(value) ? name : shownName(name)}`, value: inner })
    }
  }
}

function halfCharacter(field: string): ValidationFailed {
  return new ValidationFailed([
    {
      field: field.slice(0, MAX_POINTER_CHARACTERS) || '/',
      message: 'must be well-formed Unicode: \\ud800 to \\udfff stand in pairs',
    },
  ])
}
