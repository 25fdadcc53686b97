export interface TimeSlicerOptions {
  /** How long one event-loop turn starts new work, in milliseconds. At least one piece starts in each turn. */
  readonly sliceMs: number
  /** Beyond this many queued pieces the oldest starts at once, so that a flood slows only the client that sends it. */
  readonly maxQueued: number
  /** A clock in milliseconds; replaced in tests. */
  readonly now?: () => number
  /** Runs a callback in the next turn, after that turn's input; replaced in tests. */
  readonly inNextTurn?: (run: () => void) => void
}

/**
 * Limits how long one event-loop turn starts new work; the rest waits for the next turns, in order.
 *
 * Node accepts one new connection per turn (libuv since 1.45). If one turn starts the requests of all open connections, new
 * connections wait until load balancers time out, and cannot even be answered with 503. Each queued piece starts in a callback of
 * its own, after which Node runs its promise jobs, so that their time counts too. A piece that throws stops no other piece.
 */
export function createTimeSlicer({
  sliceMs,
  maxQueued,
  now = () => performance.now(),
  inNextTurn = setImmediate,
}: TimeSlicerOptions) {
  const queue: (() => void)[] = []
  /** Undefined until something has started in this turn. */
  let sliceEndsAt: number | undefined

  function mayStart(): boolean {
    if (sliceEndsAt !== undefined) return now() < sliceEndsAt
    sliceEndsAt = now() + sliceMs
    inNextTurn(() => (sliceEndsAt = undefined))
    return true
  }

  /** Scheduled once per queued piece. */
  function startNext(): void {
    if (mayStart()) queue.shift()?.()
    else inNextTurn(startNext)
  }

  return function start(work: () => void): void {
    if (queue.length === 0 && mayStart()) {
      work()
      return
    }
    queue.push(work)
    if (queue.length > maxQueued) queue.shift()?.()
    else inNextTurn(startNext)
  }
}
