import { randomBytes } from 'node:crypto'
import { ValidationFailed } from '@gateway/contracts'
import { describeError, isDatabaseFailure, startWorker, type Log, type Stoppable } from '@gateway/service-kit'
import type { FileDocument } from './persistence/settlement-files.ts'
import { makeImportSettlementFile, type ImportParts } from './use-cases/import-settlement-file.ts'

export interface ImporterParts extends ImportParts {
  readonly log: Log
  readonly idleMs: number
}

/** Longer than any upload: the server ends a request after 15 minutes. */
const ABANDONED_AFTER_MS = 24 * 60 * 60 * 1000

/**
 * Imports the received files one after the other, the oldest first, on one replica at a time. A file whose import fails again and
 * again waits while later ones are imported.
 */
export function startImporter(parts: ImporterParts): Stoppable {
  const { stores, findMissing, log, now, leaseMs, idleMs } = parts
  const { files, settlements } = stores
  const claim = randomBytes(9).toString('base64url')
  const stopping = new AbortController()
  const attempt = makeAttempt(parts, claim, stopping.signal)

  const step = async (): Promise<boolean> => {
    const file = await files.claimNext(claim, now(), new Date(now().getTime() + leaseMs))
    if (file === 'busy') return false
    if (file) return attempt(file)
    await settlements.addUp()
    await files.abandonBefore(new Date(now().getTime() - ABANDONED_AFTER_MS))
    await findMissing.owed()
    return false
  }

  const worker = startWorker({ name: 'settlement importer', log, step, idleMs })
  return {
    name: worker.name,
    stop: (deadlineMs) => {
      stopping.abort()
      return worker.stop(deadlineMs)
    },
  }
}

/** Imports a claimed file, and records a failure at the file. Resolves to true when it is imported. */
function makeAttempt(parts: ImporterParts, claim: string, stopped: AbortSignal) {
  const { stores, log, now } = parts
  const importFile = makeImportSettlementFile(parts)
  return async (file: FileDocument): Promise<boolean> => {
    const { _id: id, imported } = file
    log.info('settlement import started', { file: id, from_line: imported })
    try {
      const isDone = await importFile(file, claim, stopped)
      log.info(isDone ? 'settlement import finished' : 'settlement import interrupted', { file: id })
      return isDone
    } catch (error) {
      log.error('settlement import failed', { file: id, error: describeError(error) })
      const next = await stores.files.fail(id, claim, { at: now(), reason: importFailureReason(error) })
      if (next) log.info('settlement import waits', { file: id, attempts: next.attempts, retry_at: next.retryAt.toISOString() })
      return false
    }
  }
}

/** Why an import failed, for operators. Never the text of an unknown error, which may hold a value of the file. */
export function importFailureReason(error: unknown): string {
  if (error instanceof ValidationFailed) return error.errors.map(({ message }) => message).join('; ')
  if (isDatabaseFailure(error)) return 'the database did not answer, or refused a write'
  const name = error instanceof Error ? error.name : typeof error
  return `an error in the ledger (${name}); its log has the details`
}
