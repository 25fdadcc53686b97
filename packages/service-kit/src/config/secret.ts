import { readFileSync } from 'node:fs'
import type { Variables } from './source.ts'

/** Random bytes hardly ever have fewer different ones, nor fewer different steps from one to the next. */
const MIN_DISTINCT_BYTES = 12
const MIN_DISTINCT_CHARACTERS = 8

/** Longer than any secret: what is longer is the wrong file. */
const MAX_FILE_CHARACTERS = 65_536

/** Words of six letters or more: in a random secret they turn up once in ten million. */
const PLACEHOLDER = /change.?me|example|password|replace|secret|placeholder|default|insert|generate/iu

/** Published as examples, so that everybody knows them: the specification of Standard Webhooks. */
const PUBLISHED = ['MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw']

/** A secret as it was given, or why it could not be read; neither when it was not given. */
export type GivenSecret = { readonly value: string } | { readonly problem: string } | undefined

/** Takes a secret from `<NAME>`, or from the file that `<NAME>_FILE` names, without the newline at its end. */
export function takeSecret(variables: Variables, name: string): GivenSecret {
  const value = variables[name] ?? ''
  const file = variables[`${name}_FILE`] ?? ''
  if (value !== '' && file !== '') return { problem: `${name} and ${name}_FILE must not both be set` }
  if (file === '') return value === '' ? undefined : { value }
  const text = readText(file)
  if (text === undefined) return { problem: `${name}_FILE must be a file that can be read` }
  if (text === '' || text.length > MAX_FILE_CHARACTERS) return { problem: `${name}_FILE must be a file that holds one secret` }
  return { value: text }
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').replace(/\r?\n$/u, '')
  } catch {
    return undefined
  }
}

/** True for a text that was typed or copied from a page rather than drawn. */
export function isPlaceholder(text: string): boolean {
  return new Set(text).size < MIN_DISTINCT_CHARACTERS || hasPlaceholder(text)
}

/** True for a text with a word such as `change-me` in it, or with a published example. */
export function hasPlaceholder(text: string): boolean {
  return PLACEHOLDER.test(text) || PUBLISHED.some((published) => text.includes(published))
}

/** True for a key that was typed rather than drawn: one byte over and over, counted up, or a text. */
export function isTyped(bytes: Uint8Array): boolean {
  const steps = bytes.map((byte, index) => byte - (bytes[index - 1] ?? 0))
  const isText = bytes.every((byte) => byte >= 0x20 && byte < 0x7f)
  return isText || new Set(bytes).size < MIN_DISTINCT_BYTES || new Set(steps).size < MIN_DISTINCT_BYTES
}
