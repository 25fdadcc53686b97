import { ApiError } from '../errors.ts'
import type { ProblemCode } from '../generated/types.ts'

/** Resolves to `undefined` when the gateway answers with this code, such as `order_not_found`. */
export async function unlessMissing<T>(code: ProblemCode, find: () => Promise<T>): Promise<T | undefined> {
  try {
    return await find()
  } catch (error) {
    if (error instanceof ApiError && error.code === code) return undefined
    throw error
  }
}
