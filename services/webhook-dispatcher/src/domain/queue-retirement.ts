/** What decides over a queue that no schedule has any more. */
export interface QueueFacts {
  readonly ttlMs: number
  readonly inUseAt: Date
  readonly cutOffAt: Date | null
  /** Messages that wait in it; `undefined` when the broker has no such queue. */
  readonly messages: number | undefined
}

export interface RetirementTimes {
  /** A queue that no replica has named for so long is retired. */
  readonly unusedAfterMs: number
  /** How long it must have been cut off, beyond its own delay: whatever was in it is dead-lettered by then. */
  readonly restMs: number
}

/** `bound`: it gets messages still, if somebody publishes there. `resting`: cut off, its time is not over or it is not empty. */
export type Retirement =
  | { readonly stage: 'in_use' }
  | { readonly stage: 'bound' }
  | { readonly stage: 'resting'; readonly removableAt: Date }
  | { readonly stage: 'removable' }

/** How far a queue is on its way out. Only a removable one is ever deleted, since a quorum queue cannot be asked "if empty". */
export function retirementOf(facts: QueueFacts, { unusedAfterMs, restMs }: RetirementTimes, now: Date): Retirement {
  const { ttlMs, inUseAt, cutOffAt, messages } = facts
  if (now.getTime() - inUseAt.getTime() < unusedAfterMs) return { stage: 'in_use' }
  if (messages === undefined) return { stage: 'removable' }
  if (!cutOffAt) return { stage: 'bound' }
  const removableAt = new Date(cutOffAt.getTime() + ttlMs + restMs)
  return now >= removableAt && messages === 0 ? { stage: 'removable' } : { stage: 'resting', removableAt }
}
