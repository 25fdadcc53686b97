import { idOf } from '../rabbit/message.ts'
import type { SimulatedWorld } from '../world.ts'

interface Stored {
  readonly _id: string
  readonly status?: string
  readonly dueAt?: Date
  readonly refundsDueAt?: Date
  readonly outbox?: readonly { readonly id: string }[]
}

/** What the services still have to do, by what is stored. */
export function leftToDo({ database, broker }: SimulatedWorld): string[] {
  const read = (name: string, collection: string) => database.dump(name, collection).map(storedOf)
  const transactions = read('payment_status', 'transactions')
  const orders = read('order_api', 'orders')
  return [
    ...transactions
      .filter(({ dueAt, refundsDueAt }) => dueAt ?? refundsDueAt)
      .map(({ _id, status }) => `${_id} is due (${status ?? ''})`),
    ...[...orders, ...transactions].flatMap(({ _id, outbox = [] }) => outbox.map(({ id }) => `the outbox of ${_id} has ${id}`)),
    ...read('webhook_dispatcher', 'deliveries')
      .filter(({ status }) => status === 'retrying')
      .map(({ _id }) => `the delivery ${_id} is open`),
    ...queuesLeft(broker),
  ]
}

export function isAtRest(world: SimulatedWorld): boolean {
  return leftToDo(world).length === 0
}

function queuesLeft(broker: SimulatedWorld['broker']): string[] {
  return [...broker.dump()].flatMap(([name, { ready, unacked, deadLettering }]) => {
    const messages = ready.length + unacked + deadLettering
    return messages > 0 ? [`${name} has ${messages} messages`] : []
  })
}

/** S12: nothing was dead-lettered. */
export function deadLettered({ broker }: SimulatedWorld): string[] {
  return [...broker.dump()].flatMap(([name, { ready }]) =>
    name.endsWith('.dead') ? ready.map((message) => `${name} has ${idOf(message)}`) : [],
  )
}

function storedOf(document: object): Stored {
  return document as Stored
}
