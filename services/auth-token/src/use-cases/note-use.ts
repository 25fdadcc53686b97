import { startWorker, type Log } from '@gateway/service-kit'
import type { CredentialUses } from '../persistence/merchants.ts'

const MINUTE_MS = 60_000
const WRITE_EVERY_MS = 5000

/** Notes that a credential was used. Returns at once; a worker writes it down, at most once a minute per credential. */
export type NoteUse = (keyId: string) => void

/** A crash loses the notes of a few seconds. The credential's next token exchange, at most a minute later, notes it again. */
export function startNotingUses({ uses, log, now }: { uses: CredentialUses; log: Log; now: () => Date }) {
  const pending = new Map<string, Date>()
  const noted = new Set<string>()
  let minute = 0

  async function write(): Promise<void> {
    const batch = new Map(pending)
    if (batch.size > 0) await uses.record(batch)
    for (const [keyId, at] of batch) if (pending.get(keyId) === at) pending.delete(keyId)
  }
  const worker = startWorker({
    ...{ name: 'credential-uses', log, idleMs: WRITE_EVERY_MS, atEnd: write },
    step: () => write().then(() => false),
  })

  const noteUse: NoteUse = (keyId) => {
    const at = now()
    const thisMinute = Math.floor(at.getTime() / MINUTE_MS)
    // Forgetting all of the last minute bounds the memory.
    if (thisMinute !== minute) noted.clear()
    minute = thisMinute
    if (noted.has(keyId)) return
    noted.add(keyId)
    pending.set(keyId, at)
  }
  return { noteUse, worker }
}
