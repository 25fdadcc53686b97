import { readFileSync } from 'node:fs'
import type { Variables } from './variables.ts'

/** Random keys hardly ever have fewer distinct bytes, or fewer distinct differences between neighbouring bytes. */
const MIN_DISTINCT_BYTES = 12
const MIN_DISTINCT_CHARACTERS = 8

/** Longer than any secret; a longer file is the wrong one. */
const MAX_FILE_CHARACTERS = 65_536

/** Words of six letters or more: a random secret contains one once in ten million. */
const PLACEHOLDER = /change.?me|example|password|replace|secret|placeholder|default|insert|generate/iu

/** Example secrets that are public: from the specification of Standard Webhooks. */
const PUBLISHED = ['MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw']

/** The given secret, or why it could not be read; `undefined` when none was given. */
export type GivenSecret = { readonly value: string } | { readonly problem: string } | undefined

/** Reads a secret from `<NAME>`, or from the file named by `<NAME>_FILE` without its trailing newline. */
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

/** True for text that looks typed or copied, not random. */
export function isPlaceholder(text: string): boolean {
  return new Set(text).size < MIN_DISTINCT_CHARACTERS || hasPlaceholder(text)
}

/** True for text that contains a word such as `change-me`, or a public example secret. */
export function hasPlaceholder(text: string): boolean {
  return PLACEHOLDER.test(text) || PUBLISHED.some((published) => text.includes(published))
}

/** True for a key that is not random: a repeated byte, counted up, or plain text. */
export function isTyped(bytes: Uint8Array): boolean {
  const steps = bytes.map((byte, index) => byte - (bytes[index - 1] ?? 0))
  const isText = bytes.every((byte) => byte >= 0x20 && byte < 0x7f)
  return isText || new Set(bytes).size < MIN_DISTINCT_BYTES || new Set(steps).size < MIN_DISTINCT_BYTES
}
