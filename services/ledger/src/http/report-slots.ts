import { Unavailable } from '@gateway/contracts'

/** Long answers that one replica writes at once, and how many of them are for one merchant. */
const LIMITS = { all: 16, perMerchant: 2 } as const
const RETRY_AFTER_SECONDS = 10

/** A slot for a long answer; returns what releases it. Throws `too_many_reports`. */
export type AcquireSlot = (merchantId: string) => () => void

/** Limits how many callers can keep a connection and a chunk of memory busy. */
export function createReportSlots(): AcquireSlot {
  const held = new Map<string, number>()
  let all = 0
  return (merchantId) => {
    const own = held.get(merchantId) ?? 0
    if (all >= LIMITS.all || own >= LIMITS.perMerchant)
      throw new Unavailable('too_many_reports', 'Other reports are being read; try again', {
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
