/** Something that happens at a virtual time. */
export interface Event {
  readonly atMs: number
  /** Orders the owners whose events fall on the same moment; drawn from the seed. */
  readonly tie: number
  /** Keeps the events of one owner in the order in which they were planned. */
  readonly number: number
  readonly owner: string
  readonly run: () => void
  cancelled: boolean
}

/** A binary heap of events, the earliest first. */
export class EventQueue {
  readonly #heap: Event[] = []

  push(event: Event): void {
    const heap = this.#heap
    let at = heap.push(event) - 1
    while (at > 0) {
      const above = (at - 1) >> 1
      if (!isBefore(event, this.#at(above))) break
      heap[at] = this.#at(above)
      at = above
    }
    heap[at] = event
  }

  pop(): Event | undefined {
    const [first] = this.#heap
    const last = this.#heap.pop()
    if (first && last && this.#heap.length > 0) this.#sink(last)
    return first
  }

  #sink(event: Event): void {
    const heap = this.#heap
    let at = 0
    for (;;) {
      let below = 2 * at + 1
      if (below >= heap.length) break
      if (below + 1 < heap.length && isBefore(this.#at(below + 1), this.#at(below))) below += 1
      if (!isBefore(this.#at(below), event)) break
      heap[at] = this.#at(below)
      at = below
    }
    heap[at] = event
  }

  #at(index: number): Event {
    const event = this.#heap[index]
    if (!event) throw new Error('the heap is broken')
    return event
  }
}

function isBefore(one: Event, other: Event): boolean {
  if (one.atMs !== other.atMs) return one.atMs < other.atMs
  if (one.tie !== other.tie) return one.tie < other.tie
  return one.number < other.number
}
