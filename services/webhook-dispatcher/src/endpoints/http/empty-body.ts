import { compile, optionalFields } from '@gateway/contracts'

/** For routes without input: no body, or an empty object. */
export const emptyBody = compile(optionalFields({}))
