import { ApiError } from '../errors.ts'

/** Resolves to `undefined` when the gateway answers with this code of a thing that does not exist. */
export async function unlessMissing<T>(code: string, find: () => Promise<T>): Promise<T | undefined> {
  try {
    return await find()
  } catch (error) {
    if (error instanceof ApiError && error.code === code) return undefined
    throw error
  }
}
