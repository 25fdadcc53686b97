/** By then a message that did arrive has been handled, so its consumer recognises the second copy. Far below `sweepAfterMs`. */
const RESEND_AFTER_MS = 1000

export interface ResendQueue<Item> {
  readonly count: number
  push(item: Item): void
  /** Hands everything over now. */
  release(): void
  /** Hands everything over in a second, if the broker is up then. */
  releaseSoon(isUp: () => boolean): void
}

/** Events that were sent and not confirmed, because the broker left: they may or may not have arrived. */
export function createResendQueue<Item>(handOver: (items: readonly Item[]) => void): ResendQueue<Item> {
  let items: Item[] = []
  let timer: NodeJS.Timeout | undefined

  function release(): void {
    clearTimeout(timer)
    timer = undefined
    const released = items
    items = []
    if (released.length > 0) handOver(released)
  }

  return {
    get count() {
      return items.length
    },
    push: (item) => void items.push(item),
    release,
    releaseSoon(isUp) {
      if (items.length === 0) return
      timer ??= setTimeout(() => {
        timer = undefined
        if (isUp()) release()
      }, RESEND_AFTER_MS)
    },
  }
}
