import type { World } from '../kernel/kernel.ts'

/**
 * One direction of a simulated TCP connection. Bytes arrive in the order in which they were written, each after a delay. While the
 * network between both ends is cut they are held, as TCP holds them by sending them again, and arrive after it is healed.
 */
export class Pipe {
  readonly #world: World
  readonly #delayMs: () => number
  readonly #isCut: () => boolean
  readonly #deliver: (arrived: Buffer | 'end' | 'reset') => void
  readonly #queue: (Buffer[] | 'end' | 'reset')[] = []
  #lastArrival = 0
  #writtenAt = -1
  #held = 0
  #closed = false

  constructor(options: {
    readonly world: World
    readonly delayMs: () => number
    readonly isCut: () => boolean
    readonly deliver: (arrived: Buffer | 'end' | 'reset') => void
  }) {
    this.#world = options.world
    this.#delayMs = options.delayMs
    this.#isCut = options.isCut
    this.#deliver = options.deliver
  }

  write(bytes: Buffer): void {
    if (this.#closed) return
    const last = this.#queue.at(-1)
    // Bytes of one moment share a segment: fewer events, and no answer can come between them.
    if (Array.isArray(last) && this.#writtenAt === this.#world.now()) {
      last.push(bytes)
      return
    }
    this.#queue.push([bytes])
    this.#schedule()
  }

  /** The writer closes the connection, or it is reset: nothing that is written later arrives. */
  end(how: 'end' | 'reset'): void {
    if (this.#closed) return
    this.#closed = true
    this.#queue.push(how)
    this.#schedule()
  }

  /** A reset that overtakes everything that has not arrived. */
  abort(): void {
    if (this.#closed) return
    this.#queue.length = 0
    this.end('reset')
  }

  /** Drops everything that has not arrived, and all that follows. */
  discard(): void {
    this.#closed = true
    this.#queue.length = 0
  }

  /** Bytes that were held by a cut begin to arrive. */
  heal(): void {
    const held = this.#held
    this.#held = 0
    for (let count = 0; count < held; count++) this.#schedule()
  }

  #schedule(): void {
    const now = this.#world.now()
    this.#writtenAt = now
    this.#lastArrival = Math.max(this.#lastArrival, now + this.#delayMs())
    this.#world.after(this.#lastArrival - now, () => this.#arrive())
  }

  /** Takes the head of the queue, so that two arrivals of one moment keep their order whichever event runs first. */
  #arrive(): void {
    if (this.#isCut()) {
      this.#held += 1
      return
    }
    const arrived = this.#queue.shift()
    if (arrived === undefined) return
    // The last segment may have been appended to in this very moment: the next write must begin a new one.
    if (this.#queue.length === 0) this.#writtenAt = -1
    if (typeof arrived === 'string') this.#deliver(arrived)
    else this.#deliver(arrived.length === 1 && arrived[0] ? arrived[0] : Buffer.concat(arrived))
  }
}
