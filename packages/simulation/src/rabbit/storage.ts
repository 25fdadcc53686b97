import type { World } from '../kernel/world.ts'
import type { Message } from './message.ts'

/** What becomes of a message that a queue was given: stored, or lost with a node. */
export type StoreResult = 'stored' | 'lost'

interface Pending {
  readonly message: Message
  readonly done: (result: StoreResult) => void
}

/** What the storage needs of a queue. */
interface Target {
  enqueue(message: Message): void
}

/** Messages on their way into one quorum queue: each is stored when a majority of the nodes has it, in the order of arrival. */
export class Storage {
  readonly #world: World
  readonly #lagMs: () => number
  readonly #target: Target
  #pending: Pending[] = []
  #lastAt = 0
  /** Raised when a node is lost: what was on its way by then is settled. */
  #epoch = 0

  constructor(world: World, lagMs: () => number, target: Target) {
    this.#world = world
    this.#lagMs = lagMs
    this.#target = target
  }

  store(message: Message, done: (result: StoreResult) => void): void {
    const now = this.#world.now()
    const pending = { message, done }
    this.#pending.push(pending)
    this.#lastAt = Math.max(this.#lastAt, now + this.#lagMs())
    const epoch = this.#epoch
    this.#world.after(this.#lastAt - now, () => {
      // The oldest, whichever event of this moment runs first.
      const oldest = epoch === this.#epoch ? this.#pending.shift() : undefined
      if (oldest) this.#finish(oldest)
    })
  }

  /** A node is lost: each message that no majority has yet is stored or lost, as chance will have it. */
  loseNode(): void {
    this.#epoch += 1
    for (const pending of this.#pending.splice(0)) {
      if (this.#world.random() < 0.5) this.#finish(pending)
      else pending.done('lost')
    }
  }

  #finish({ message, done }: Pending): void {
    done('stored')
    this.#target.enqueue(message)
  }
}
