/** Limits how many handlers of several consumers run at once; the longest waiting goes first. */
export interface HandlerSlots {
  /** Resolves, once a slot is free, to a function that frees it again; calling it twice is harmless. To `undefined` after `withdraw`. */
  acquire(owner: object): Promise<(() => void) | undefined>
  /** Ends the waiting of an owner. */
  withdraw(owner: object): void
}

interface Waiting {
  readonly owner: object
  readonly go: (free: (() => void) | undefined) => void
}

export function createHandlerSlots(limit: number): HandlerSlots {
  let taken = 0
  let waiting: Waiting[] = []

  function take(): () => void {
    taken += 1
    let isHeld = true
    return () => {
      if (!isHeld) return
      isHeld = false
      taken -= 1
      waiting.shift()?.go(take())
    }
  }

  return {
    acquire: (owner) =>
      taken < limit ? Promise.resolve(take()) : new Promise((resolve) => waiting.push({ owner, go: resolve })),
    withdraw(owner) {
      const [withdrawn, others] = [waiting.filter((one) => one.owner === owner), waiting.filter((one) => one.owner !== owner)]
      waiting = others
      for (const { go } of withdrawn) go(undefined)
    },
  }
}
