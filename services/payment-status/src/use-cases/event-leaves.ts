import { setImmediate as nextTurn } from 'node:timers/promises'

/**
 * Awaited after a change is saved and logged. amqplib writes to its socket at the end of the turn in which an event was submitted:
 * answers, and the other transactions of a batch, would hold the event back for longer than its way to the broker takes.
 */
export async function eventLeaves(): Promise<void> {
  await nextTurn()
}
