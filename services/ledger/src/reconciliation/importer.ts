import { randomBytes } from 'node:crypto'
import { describeError, startWorker, type Log, type Stoppable } from '@gateway/service-kit'
import type { FileDocument } from './persistence/documents.ts'
import type { SettlementFiles } from './persistence/settlement-files.ts'
import type { Settlements } from './persistence/settlements.ts'
import { importFailureReason } from './use-cases/import-failure.ts'
import type { ImportSettlementFile } from './use-cases/import-settlement-file.ts'
import type { NameOwedMissing } from './use-cases/name-owed-missing.ts'

export interface ImporterParts {
  readonly files: SettlementFiles
  readonly settlements: Pick<Settlements, 'addUp'>
  readonly importFile: ImportSettlementFile
  readonly nameOwedMissing: NameOwedMissing
  readonly log: Log
  readonly now: () => Date
  readonly leaseMs: number
  readonly idleMs: number
}

/** Longer than any upload: the server ends a request after 15 minutes. */
const ABANDONED_AFTER_MS = 24 * 60 * 60 * 1000

/**
 * Imports the received files one after the other, the oldest first, on one replica at a time. A file whose import fails again and
 * again waits while later ones are imported.
 */
export function startImporter(parts: ImporterParts): Stoppable {
  const { files, settlements, nameOwedMissing, log, now, leaseMs, idleMs } = parts
  const claim = randomBytes(9).toString('base64url')
  const stopping = new AbortController()
  const attempt = makeAttempt(parts, claim, stopping.signal)

  const step = async (): Promise<boolean> => {
    const file = await files.claimNext(claim, now(), new Date(now().getTime() + leaseMs))
    if (file === 'busy') return false
    if (file) return attempt(file)
    await settlements.addUp()
    for (const upload of await files.abandoned(new Date(now().getTime() - ABANDONED_AFTER_MS))) await files.abandon(upload)
    await nameOwedMissing()
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
function makeAttempt({ files, importFile, log, now }: ImporterParts, claim: string, stopped: AbortSignal) {
  return async (file: FileDocument): Promise<boolean> => {
    const { _id: id, imported } = file
    log.info('settlement import started', { file: id, from_line: imported })
    try {
      const isDone = await importFile(file, claim, stopped)
      log.info(isDone ? 'settlement import finished' : 'settlement import interrupted', { file: id })
      return isDone
    } catch (error) {
      log.error('settlement import failed', { file: id, error: describeError(error) })
      const next = await files.fail(id, claim, { at: now(), reason: importFailureReason(error) })
      if (next) log.info('settlement import waits', { file: id, attempts: next.attempts, retry_at: next.retryAt.toISOString() })
      return false
    }
  }
}
