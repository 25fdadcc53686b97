import { Unsupported } from './codec.ts'
import type { World } from '../kernel/kernel.ts'
import { deadLettered, type Message, type Stored } from './message.ts'
import type { Queue, StoreResult } from './queue.ts'

/** The broker, as the worker that moves dead-lettered messages sees it. */
interface DeadLetterRoutes {
  /** Stores a message in the queues that it is routed to. `done` hears once: `unrouted` when there is none. */
  readonly publish: (message: Message, done: (result: StoreResult | 'unrouted') => void) => void
  /** A message has left its queue: for another one, or for good when the queue has no dead-letter exchange. */
  readonly left: (queue: string, message: Message) => void
}

interface Moving {
  readonly queue: Queue
  /** Stored in the next queue, while the one it came from still has it. */
  isStored: boolean
  publish(): void
}

/**
 * Moves messages to dead-letter exchanges. At least once: a message leaves its queue only when the next one has stored it, and a node
 * that is lost in between makes a second copy. Source: https://www.rabbitmq.com/docs/quorum-queues#dead-lettering
 */
export class DeadLetters {
  readonly #world: World
  readonly #lagMs: () => number
  readonly #routes: DeadLetterRoutes
  readonly #moving = new Set<Moving>()

  constructor(world: World, lagMs: () => number, routes: DeadLetterRoutes) {
    this.#world = world
    this.#lagMs = lagMs
    this.#routes = routes
  }

  /** The messages of a queue that are on their way. */
  countOf(queue: Queue): number {
    return [...this.#moving].filter((one) => one.queue === queue).length
  }

  push(queue: Queue, stored: Stored): void {
    const { deadLetter } = queue.options
    const left = (): void => this.#routes.left(queue.name, stored.message)
    if (!deadLetter) {
      left()
      return
    }
    const message = deadLettered(stored, deadLetter.exchange, deadLetter.routingKey ?? stored.message.routingKey)
    const moving: Moving = {
      queue,
      isStored: false,
      publish: () => {
        moving.isStored = false
        this.#routes.publish(message, (result) => {
          if (result === 'unrouted') throw new Unsupported('dead letters that no queue gets')
          if (!this.#moving.has(moving)) return
          if (result === 'lost') this.#world.after(this.#lagMs(), () => moving.publish())
          else this.#settleSoon(moving, left)
        })
      },
    }
    this.#moving.add(moving)
    moving.publish()
  }

  /** Its queue is deleted: what is not stored in the next one is lost. Returns how many. */
  drop(queue: Queue): number {
    const own = [...this.#moving].filter((one) => one.queue === queue)
    for (const one of own) this.#moving.delete(one)
    return own.filter(({ isStored }) => !isStored).length
  }

  /** A node is lost: messages that both queues have now are published once more. */
  loseNode(): void {
    for (const moving of this.#moving) {
      if (moving.isStored && this.#world.random() < 0.5) moving.publish()
    }
  }

  #settleSoon(moving: Moving, left: () => void): void {
    moving.isStored = true
    this.#world.after(this.#lagMs(), () => {
      if (moving.isStored && this.#moving.delete(moving)) left()
    })
  }
}
