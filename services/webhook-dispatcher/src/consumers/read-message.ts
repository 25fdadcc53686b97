import { ValidationFailed, type Checker } from '@gateway/contracts'
import type { Outcome } from '@gateway/messaging'

export type Read<T> = { readonly message: T } | { readonly poison: Outcome }

/** A message as its schema says, or why nobody will ever understand it. The reason names fields and never shows values. */
export function readMessage<T>(checker: Checker<T>, body: Buffer): Read<T> {
  try {
    return { message: checker.parse(JSON.parse(body.toString('utf8'))) }
  } catch (error) {
    if (error instanceof SyntaxError) return { poison: { dead: 'not_parseable: the body is not JSON' } }
    if (!(error instanceof ValidationFailed)) throw error
    const fields = error.errors.map(({ field, message }) => `${field} ${message}`).join('; ')
    return { poison: { dead: `not_understood: ${fields}` } }
  }
}
