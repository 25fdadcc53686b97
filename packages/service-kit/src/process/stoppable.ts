/** A part of a service that can be stopped. */
export interface Stoppable {
  readonly name: string
  /** Announces the stop; the part works as before until it is stopped. */
  readonly retire?: () => void
  /** Stops within the remaining time, in milliseconds. */
  stop(deadlineMs: number): Promise<unknown>
}

/** Parts that stop at the same time, as one part: a slow one does not delay the others. */
export function stoppedTogether(...parts: readonly Stoppable[]): Stoppable {
  return {
    ...groupOf(parts),
    stop: (deadlineMs) => Promise.all(parts.map((part) => part.stop(deadlineMs))),
  }
}

/** Parts that stop one after the other, as one part. */
export function stoppedInOrder(...parts: readonly Stoppable[]): Stoppable {
  return {
    ...groupOf(parts),
    async stop(deadlineMs) {
      const endsAt = Date.now() + deadlineMs
      for (const part of parts) await part.stop(Math.max(endsAt - Date.now(), 100))
    },
  }
}

function groupOf(parts: readonly Stoppable[]): Pick<Stoppable, 'name' | 'retire'> {
  return {
    name: parts.map(({ name }) => name).join(', '),
    retire() {
      for (const part of parts) part.retire?.()
    },
  }
}
