import { setTimeout as sleep } from 'node:timers/promises'
import { Unavailable } from '@gateway/contracts'

/** Reports that one replica writes at the same time: in all, and for one merchant. */
const LIMITS = { all: 16, perMerchant: 2 } as const
const RETRY_AFTER_SECONDS = 10
/** A report that waits for its reader for this long gives its slot to another one that needs it. */
const SLOW_AFTER_MS = 2000
/** How long a report waits for a slot, and how often it checks for one. */
const [WAIT_MS, LOOK_EVERY_MS] = [4000, 200]

/** A place among the reports that are being written. */
export interface ReportSlot {
  /** Call it when the report begins to wait for its reader, and when it goes on. */
  readonly waitsForReader: (waits: boolean) => void
  readonly release: () => void
}

/** Acquires a slot for one report; `end` is called when another report takes its slot. Throws `too_many_reports`. */
export type AcquireSlot = (merchantId: string, end: () => void) => Promise<ReportSlot>

interface Held {
  readonly merchantId: string
  readonly end: () => void
  /** `Infinity` while it does not wait. */
  waitingSinceMs: number
}

/**
 * Each report holds a connection and a chunk of entries in memory until its reader is done, so their number is limited. While all
 * slots are held, the slowest reader loses its slot, so that slow readers do not block the reports of other merchants.
 */
export function createReportSlots(nowMs = (): number => performance.now()): AcquireSlot {
  const held = new Set<Held>()

  function makeRoom(): boolean {
    if (held.size < LIMITS.all) return true
    const [slowest] = [...held].toSorted((one, other) => one.waitingSinceMs - other.waitingSinceMs)
    if (!slowest || nowMs() - slowest.waitingSinceMs < SLOW_AFTER_MS) return false
    held.delete(slowest)
    slowest.end()
    return true
  }

  return async (merchantId, end) => {
    const endsAtMs = nowMs() + WAIT_MS
    for (;;) {
      const own = [...held].filter((one) => one.merchantId === merchantId).length
      if (own >= LIMITS.perMerchant) throw tooMany()
      if (makeRoom()) break
      if (nowMs() >= endsAtMs) throw tooMany()
      await sleep(LOOK_EVERY_MS)
    }
    const mine: Held = { merchantId, end, waitingSinceMs: Infinity }
    held.add(mine)
    return {
      waitsForReader: (waits) => void (mine.waitingSinceMs = waits ? nowMs() : Infinity),
      release: () => void held.delete(mine),
    }
  }
}

function tooMany(): Unavailable {
  return new Unavailable('too_many_reports', 'Too many reports are being read at the same time; try again', {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  })
}
