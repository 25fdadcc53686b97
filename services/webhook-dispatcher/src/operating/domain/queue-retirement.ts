/** What decides whether a queue can be removed. */
export interface QueueUse {
  readonly ttlMs: number
  readonly inUseAt: Date
  readonly cutOffAt: Date | null
  /** Messages that wait in it; `undefined` when the broker has no such queue. */
  readonly messages: number | undefined
}

export interface RetirementTimes {
  /** A queue that no replica has named for this long is retired. */
  readonly unusedAfterMs: number
  /** How long it must have been cut off, beyond its own delay: by then every message in it has expired and moved on. */
  readonly restMs: number
}

/** `bound`: still routed to. `resting`: cut off, but too recently, or it still holds messages. */
export type Retirement =
  | { readonly stage: 'in_use' }
  | { readonly stage: 'bound' }
  | { readonly stage: 'resting'; readonly removableAt: Date }
  | { readonly stage: 'removable' }

/** The stage of a queue's removal. Only a removable one is deleted, since a quorum queue does not support "delete if empty". */
export function retirementOf(queue: QueueUse, { unusedAfterMs, restMs }: RetirementTimes, now: Date): Retirement {
  const { ttlMs, inUseAt, cutOffAt, messages } = queue
  if (now.getTime() - inUseAt.getTime() < unusedAfterMs) return { stage: 'in_use' }
  if (messages === undefined) return { stage: 'removable' }
  if (!cutOffAt) return { stage: 'bound' }
  const removableAt = new Date(cutOffAt.getTime() + ttlMs + restMs)
  return now >= removableAt && messages === 0 ? { stage: 'removable' } : { stage: 'resting', removableAt }
}
