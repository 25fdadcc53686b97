import { currentCorrelation, startWorker, type Log, type Stoppable } from '@gateway/service-kit'
import type { AuditLog } from '../persistence/audit-log.ts'

const MINUTE_MS = 60_000
const WRITE_EVERY_MS = 5000
/** Further failures of the same minute are counted under no address. */
const MAX_ENTRIES = 10_000

/** Counts a failed authentication under an existing credential. Returns at once. */
export type NoteFailure = (credential: { readonly merchantId: string; readonly keyId: string }) => void

interface Failures {
  readonly merchantId: string
  readonly keyId: string
  readonly addressPrefix: string | undefined
  /** The minute, in milliseconds since 1970. */
  readonly atMs: number
  count: number
}

/** One audit entry per credential, address prefix and minute, written when the minute is over. A crash loses a minute of counts. */
export function startNotingFailures({ auditLog, log, now }: { auditLog: AuditLog; log: Log; now: () => Date }): {
  readonly noteFailure: NoteFailure
  readonly worker: Stoppable
} {
  const open = new Map<string, Failures>()

  async function write(before: number): Promise<void> {
    for (const [key, { atMs, ...failures }] of open) {
      if (atMs >= before) continue
      open.delete(key)
      const { merchantId, keyId, addressPrefix, count } = failures
      await auditLog.append({
        at: new Date(atMs),
        who: 'merchant',
        action: 'authentication.failed',
        outcome: 'refused',
        merchant_id: merchantId,
        target: null,
        credential_id: keyId,
        address_prefix: addressPrefix ?? null,
        request_id: null,
        count,
      })
    }
  }
  const worker = startWorker({
    name: 'failed-authentications',
    log,
    step: async () => {
      await write(minuteOf(now()))
      return false
    },
    idleMs: WRITE_EVERY_MS,
  })

  return {
    noteFailure({ merchantId, keyId }) {
      const atMs = minuteOf(now())
      const prefix = open.size < MAX_ENTRIES ? currentCorrelation().caller?.addressPrefix : undefined
      const key = `${atMs} ${keyId} ${prefix ?? ''}`
      const failures = open.get(key) ?? { merchantId, keyId, addressPrefix: prefix, atMs, count: 0 }
      failures.count += 1
      open.set(key, failures)
    },
    worker: {
      name: worker.name,
      async stop(deadlineMs) {
        await worker.stop(deadlineMs)
        await write(Infinity)
      },
    },
  }
}

function minuteOf(at: Date): number {
  return Math.floor(at.getTime() / MINUTE_MS) * MINUTE_MS
}
