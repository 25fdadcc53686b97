import { utf8Text, ValidationFailed, type Checker } from '@gateway/contracts'
import type { Outcome } from './consumer.ts'
import type { IncomingMessage } from './message.ts'

/** Handles a message whose body is known to fit its schema. The delivery has the headers and ids; `acknowledge` as in `HandleMessage`. */
export type Handle<T> = (message: T, delivery: IncomingMessage, acknowledge: () => void) => Promise<Outcome>

/**
 * The handler of a queue whose messages have one type and version, which its schema states. A body that is not JSON, lacks a
 * required field or has another version is dead-lettered; the reason names fields and never shows their values.
 * Use a checker of `compileReader`: it ignores unknown fields, so that a newer publisher may add some.
 */
export function handleAs<T>(checker: Checker<T>, handle: Handle<T>) {
  return (delivery: IncomingMessage, acknowledge = (): void => undefined): Promise<Outcome> => {
    const read = readBody(checker, delivery.body)
    return 'message' in read ? handle(read.message, delivery, acknowledge) : Promise.resolve(read)
  }
}

function readBody<T>(checker: Checker<T>, body: Buffer): { readonly message: T } | { readonly dead: string } {
  try {
    return { message: checker.parse(JSON.parse(utf8Text(body) ?? '')) }
  } catch (error) {
    if (error instanceof SyntaxError) return { dead: 'not_parseable: the body is not JSON' }
    if (!(error instanceof ValidationFailed)) throw error
    const fields = error.errors.map(({ field, message }) => `${field} ${message}`).join('; ')
    return { dead: `not_understood: ${fields}` }
  }
}
