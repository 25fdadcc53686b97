import { ValidationFailed } from '@gateway/contracts'
import { isDatabaseFailure } from '@gateway/service-kit'
import { csvProblem } from './settlement-csv.ts'

/** Why an import failed, for operators. Never the text of an unknown error, which may hold a value of the file. */
export function importFailureReason(error: unknown): string {
  const known = csvProblem(error)
  if (known instanceof ValidationFailed) return known.errors.map(({ message }) => message).join('; ')
  if (isDatabaseFailure(error)) return 'the database did not answer, or refused a write'
  const name = error instanceof Error ? error.name : typeof error
  return `an error in the ledger (${name}); its log has the details`
}
