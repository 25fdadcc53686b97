export interface TurnsOptions {
  /** How long a turn of the event loop begins work, in milliseconds; its last piece may last beyond. At least one is begun in each. */
  readonly sliceMs: number
  /** What waits beyond this is begun all the same, the oldest first, so that whoever floods the server meets his own slowness. */
  readonly maxWaiting: number
  /** A clock in milliseconds; a test's own. */
  readonly now?: () => number
  /** Runs what it is given in the next turn, after that turn's input; a test's own. */
  readonly inNextTurn?: (run: () => void) => void
}

/**
 * Short turns of the event loop for a server with more to do than it can: begins work at once, but what would be begun later
 * than `sliceMs` after the first of its turn waits for the next turns, in order. Node takes one new connection per turn (libuv
 * since 1.45), so with turns as long as all open connections' requests last, new connections wait until load balancers and
 * callers have given them up, and cannot even be refused. Each piece that waited is begun in a callback of its own, after which
 * Node runs what it has promised: that counts, too. Work that throws keeps nothing else from being begun.
 */
export function createTurns({ sliceMs, maxWaiting, now = () => performance.now(), inNextTurn = setImmediate }: TurnsOptions) {
  const waiting: (() => void)[] = []
  /** Unless nothing was begun in this turn. */
  let sliceEndsAt: number | undefined

  function mayBegin(): boolean {
    if (sliceEndsAt !== undefined) return now() < sliceEndsAt
    sliceEndsAt = now() + sliceMs
    inNextTurn(() => (sliceEndsAt = undefined))
    return true
  }

  /** One for each piece that waits. */
  function goOn(): void {
    if (mayBegin()) waiting.shift()?.()
    else inNextTurn(goOn)
  }

  return function begin(work: () => void): void {
    if (waiting.length === 0 && mayBegin()) {
      work()
      return
    }
    waiting.push(work)
    if (waiting.length > maxWaiting) waiting.shift()?.()
    else inNextTurn(goOn)
  }
}
