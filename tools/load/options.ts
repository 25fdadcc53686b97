import { UserError } from '@gateway-infra/system/user-error'

/** Runs `read`, which reads options; what it throws is told to the user, together with what there is. */
export function explainOptions<T>(known: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw new UserError(`${error instanceof Error ? error.message : String(error)}\nThere are: ${known}`)
  }
}

/** A whole number from 1 to `max`. */
export function wholeNumber(given: string, max = Infinity): number {
  const number = Number(given)
  if (!Number.isInteger(number) || number < 1 || number > max) throw new Error(`"${given}" is not a whole number in range.`)
  return number
}
