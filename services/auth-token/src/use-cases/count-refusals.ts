import type { AuditRecord } from '@gateway/contracts'
import { currentCorrelation, startWorker, type Log } from '@gateway/service-kit'
import type { AuditLog } from '../persistence/audit-log.ts'

const MINUTE_MS = 60_000
const WRITE_EVERY_MS = 5000
/** Above this number of entries, further refusals of the minute are counted without their address prefix. */
const MAX_ENTRIES = 10_000

/** Counts a failed authentication under an existing credential. Returns at once. */
export type NoteFailure = (credential: { readonly merchantId: string; readonly keyId: string }) => void

interface Counted {
  readonly entry: AuditRecord
  /** The minute, in milliseconds since 1970. */
  readonly atMs: number
  count: number
}

/**
 * Refusals of merchants are counted, so that repeating them does not fill the audit: one entry per credential, action, address prefix
 * and minute, written when the minute is over. A crash loses a minute of counts.
 */
export function startCountingRefusals({ auditLog, log, now }: { auditLog: Pick<AuditLog, 'append'>; log: Log; now: () => Date }) {
  const open = new Map<string, Counted>()

  async function write(before: number): Promise<void> {
    for (const [key, counted] of open) {
      const { entry, atMs, count } = counted
      if (atMs >= before) continue
      // When this fails, the next step writes the count.
      if (count > 0) await auditLog.append({ ...entry, at: new Date(atMs), count })
      counted.count -= count
      if (counted.count === 0) open.delete(key)
    }
  }

  /** Returns the count before this refusal. */
  function count(refused: AuditRecord, by: number): Counted | undefined {
    const atMs = minuteOf(now())
    // A counted entry has no target and no request id: they differ between the refusals.
    const prefix = open.size < MAX_ENTRIES ? refused.address_prefix : null
    const entry = { ...refused, target: null, request_id: null, address_prefix: prefix }
    const key = [atMs, entry.merchant_id, entry.action, entry.credential_id, entry.address_prefix].join(' ')
    const before = open.get(key)
    if (before) before.count += 1
    else open.set(key, { entry, atMs, count: by })
    return before
  }
  const worker = startWorker({
    name: 'refusals',
    log,
    step: () => write(minuteOf(now())).then(() => false),
    idleMs: WRITE_EVERY_MS,
    atEnd: () => write(Infinity),
  })

  const noteFailure: NoteFailure = ({ merchantId, keyId }) => {
    const prefix = currentCorrelation().caller?.addressPrefix ?? null
    const of = { merchant_id: merchantId, credential_id: keyId, address_prefix: prefix, target: null, request_id: null }
    count({ who: 'merchant', action: 'authentication.failed', outcome: 'refused', ...of }, 1)
  }
  /** Stores the first refusal of a minute as it is, and counts the ones that follow. */
  const appendRefusal = async (refused: AuditRecord): Promise<void> => {
    if (!count(refused, 0)) await auditLog.append({ ...refused, at: now() })
  }
  return { noteFailure, appendRefusal, worker }
}

function minuteOf(at: Date): number {
  return Math.floor(at.getTime() / MINUTE_MS) * MINUTE_MS
}
