import { Unavailable } from '@gateway/contracts'

/** Reports that one replica writes at the same time: in all, and for one merchant. */
const LIMITS = { all: 16, perMerchant: 2 } as const
const RETRY_AFTER_SECONDS = 10

/** Acquires a slot for one report and returns the function that releases it. Throws `too_many_reports`. */
export type AcquireSlot = (merchantId: string) => () => void

/** Each report holds a connection and a chunk of entries in memory until its reader is done, so their number is limited. */
export function createReportSlots(): AcquireSlot {
  const held = new Map<string, number>()
  let all = 0
  return (merchantId) => {
    const own = held.get(merchantId) ?? 0
    if (all >= LIMITS.all || own >= LIMITS.perMerchant)
      throw new Unavailable('too_many_reports', 'Too many reports are being read at the same time; try again', {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      })
    all += 1
    held.set(merchantId, own + 1)
    return () => {
      all -= 1
      const left = (held.get(merchantId) ?? 1) - 1
      if (left === 0) held.delete(merchantId)
      else held.set(merchantId, left)
    }
  }
}
