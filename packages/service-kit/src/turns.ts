export interface TurnsOptions {
  /** How long a turn of the event loop begins work, in milliseconds; its last piece may last beyond. At least one is begun in each. */
  readonly sliceMs: number
  /** A clock in milliseconds; a test's own. */
  readonly now?: () => number
  /** Runs what it is given in the next turn, after that turn's input; a test's own. */
  readonly inNextTurn?: (run: () => void) => void
}

/**
 * Short turns of the event loop for a server with more to do than it can: begins work at once, but what would be begun later
 * than `sliceMs` after the first of its turn waits for the next turns, in order. Node takes one new connection per turn (libuv
 * since 1.45), so with turns as long as all open connections' requests last, new connections wait until load balancers and
 * callers have given them up, and cannot even be refused. Work that throws does so where `begin` was called, or out of the event
 * loop; the rest of what waits is begun all the same.
 */
export function createTurns({ sliceMs, now = () => performance.now(), inNextTurn = setImmediate }: TurnsOptions) {
  const waiting: (() => void)[] = []
  /** Unless nothing was begun in this turn; then nothing waits either. */
  let sliceEndsAt: number | undefined

  function openSlice(): number {
    inNextTurn(goOn)
    return (sliceEndsAt = now() + sliceMs)
  }

  function goOn(): void {
    sliceEndsAt = undefined
    if (waiting.length === 0) return
    const endsAt = openSlice()
    do waiting.shift()?.()
    while (waiting.length > 0 && now() < endsAt)
  }

  return function begin(work: () => void): void {
    if (sliceEndsAt === undefined) openSlice()
    else if (waiting.length > 0 || now() >= sliceEndsAt) {
      waiting.push(work)
      return
    }
    work()
  }
}
