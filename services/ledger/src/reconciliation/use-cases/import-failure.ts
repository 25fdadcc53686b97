import { ValidationFailed } from '@gateway/contracts'
import { isDatabaseFailure } from '@gateway/service-kit'

/** Why an import failed, for operators. Never the text of an unknown error, which may hold a value of the file. */
export function importFailureReason(error: unknown): string {
  if (error instanceof ValidationFailed) return error.errors.map(({ message }) => message).join('; ')
  if (isDatabaseFailure(error)) return 'the database did not answer, or refused a write'
  const name = error instanceof Error ? error.name : typeof error
  return `an error in the ledger (${name}); its log has the details`
}
