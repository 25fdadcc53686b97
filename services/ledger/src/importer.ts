import { randomBytes } from 'node:crypto'
import { startWorker, type Log, type Stoppable } from '@gateway/service-kit'
import type { SettlementFiles } from './persistence/settlement-files.ts'
import type { Settlements } from './persistence/settlements.ts'
import type { ImportSettlementFile } from './use-cases/import-settlement-file.ts'

export interface ImporterParts {
  readonly files: SettlementFiles
  readonly settlements: Pick<Settlements, 'addUp'>
  readonly importFile: ImportSettlementFile
  readonly log: Log
  readonly now: () => Date
  readonly leaseMs: number
  readonly idleMs: number
}

/** Longer than any upload: the server ends a request after 15 minutes. */
const ABANDONED_AFTER_MS = 24 * 60 * 60 * 1000

/** Imports the received files one after the other, oldest first, on one replica at a time. */
export function startImporter(parts: ImporterParts): Stoppable {
  const { files, settlements, importFile, log, now, leaseMs, idleMs } = parts
  const claim = randomBytes(9).toString('base64url')
  const stopping = new AbortController()

  const step = async (): Promise<boolean> => {
    const file = await files.claimNext(claim, now(), new Date(now().getTime() + leaseMs))
    if (file === 'busy') return false
    if (file) {
      log.info('settlement import started', { file: file._id, from_line: file.imported })
      const done = await importFile(file, claim, stopping.signal)
      log.info(done ? 'settlement import finished' : 'settlement import interrupted', { file: file._id })
      return done
    }
    await settlements.addUp()
    for (const upload of await files.abandoned(new Date(now().getTime() - ABANDONED_AFTER_MS))) await files.abandon(upload)
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
