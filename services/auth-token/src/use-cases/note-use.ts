import { startWorker, type Log, type Stoppable } from '@gateway/service-kit'
import type { CredentialUses } from '../persistence/credential-uses.ts'

const MINUTE_MS = 60_000
const WRITE_EVERY_MS = 5000

/** Notes that a credential was used. Returns at once; a worker writes it down, at most once a minute per credential. */
export type NoteUse = (keyId: string) => void

/** A crash loses the notes of a few seconds. The credential's next token exchange, at most a minute later, notes it again. */
export function startNotingUses({ uses, log, now }: { uses: CredentialUses; log: Log; now: () => Date }): {
  readonly noteUse: NoteUse
  readonly worker: Stoppable
} {
  const pending = new Map<string, Date>()
  const noted = new Set<string>()
  let minute = 0

  async function write(): Promise<boolean> {
    const batch = new Map(pending)
    if (batch.size > 0) await uses.record(batch)
    for (const [keyId, at] of batch) if (pending.get(keyId) === at) pending.delete(keyId)
    return false
  }
  const worker = startWorker({ name: 'credential-uses', log, step: write, idleMs: WRITE_EVERY_MS })

  return {
    noteUse(keyId) {
      const at = now()
      const thisMinute = Math.floor(at.getTime() / MINUTE_MS)
      // Forgetting all of the last minute bounds the memory.
      if (thisMinute !== minute) noted.clear()
      minute = thisMinute
      if (noted.has(keyId)) return
      noted.add(keyId)
      pending.set(keyId, at)
    },
    worker: {
      name: worker.name,
      async stop(deadlineMs) {
        await worker.stop(deadlineMs)
        await write()
      },
    },
  }
}
