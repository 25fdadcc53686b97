import { formatPaise, formatRefundId } from '@gateway/contracts'
import type { TruePayment } from '../actors/network.ts'
import { idOf } from '../rabbit/message.ts'
import type { SimulatedWorld } from '../world.ts'
import { deliveryOf, transactionOf } from './committed.ts'
import {
  unacknowledged,
  unacknowledgedRefunds,
  type History,
  type NetworkPayment,
  type ShownRefund,
  type StoredChange,
} from './history.ts'
import type { Mark } from './marks.ts'

/** What the clients saw, and what is stored now. */
export function finalHistory({ merchants, receiver, database, bank }: SimulatedWorld): History {
  const transactions = database.dump('payment_status', 'transactions').map(transactionOf)
  const changes = transactions.flatMap(({ _id: transaction, status, sequence: last }) =>
    Array.from({ length: last }, (_, index): StoredChange => ({
      transaction,
      sequence: index + 1,
      ...(index + 1 === last && { status }),
    })),
  )
  const payments = bank.payments.map(({ report, reversedBy }): NetworkPayment => {
    const { tr: transaction, reference, outcome, amount } = report
    return { transaction, reference, outcome, amount, reversal: reversedBy.size > 0 ? 'succeeded' : null }
  })
  const networkRefunds = bank.payments.flatMap(({ report, refunds }) =>
    [...refunds].map(([id, paise]) => ({ transaction: report.tr, id, amount: formatPaise(paise), status: 'succeeded' })),
  )
  const { webhooks, refundWebhooks } = receiver
  const refunds = transactions.flatMap(refundsOf)
  return { operations: merchants.operations, webhooks, refundWebhooks, changes, payments, refunds, networkRefunds, gaps: [] }
}

/** True when nothing is left to do: every order is final, every webhook acknowledged, every outbox and queue empty. */
export function isQuiet(world: SimulatedWorld): boolean {
  if (leftToDo(world).length > 0) return false
  const history = finalHistory(world)
  return unacknowledged(history).length + unacknowledgedRefunds(history).length === 0
}

function refundsOf({ _id: transaction, order, refunds = [] }: ReturnType<typeof transactionOf>): ShownRefund[] {
  const key = `${order.merchant.id}/${order.order_id}`
  return refunds.map(({ n, refund_id: refundId, amount_paise, status, sequence }) => ({
    ...{ order: key, transaction, id: formatRefundId(transaction, n), refundId },
    ...{ amount: formatPaise(amount_paise), status, sequence },
  }))
}

/** What the services still have to do, by what is stored. */
export function leftToDo({ database, broker, operator }: SimulatedWorld): string[] {
  const transactions = database.dump('payment_status', 'transactions').map(transactionOf)
  const orders = database.dump('order_api', 'orders').map(transactionOf)
  const deliveries = database.dump('webhook_dispatcher', 'deliveries').map(deliveryOf)
  return [
    ...transactions
      .filter(({ due_at, refunds_due_at }) => due_at ?? refunds_due_at)
      .map(({ _id, status }) => `${_id} is due (${status})`),
    ...[...orders, ...transactions].flatMap(({ _id, outbox = [] }) => outbox.map(({ id }) => `the outbox of ${_id} has ${id}`)),
    ...deliveries.filter(({ status }) => status === 'retrying').map(({ _id }) => `the delivery ${_id} is open`),
    ...queuesLeft(broker),
    ...(operator.isDone ? queuesBeyond(operator.partitions, broker) : ['the operator is changing the partitions']),
  ]
}

/** The queues of partitions that were closed. */
function queuesBeyond(partitions: number, broker: SimulatedWorld['broker']): string[] {
  const beyond = [...broker.dump().keys()].filter((name) => Number(/\.(\d+)$/u.exec(name)?.[1] ?? 0) >= partitions)
  return beyond.map((name) => `${name} is a partition that was closed`)
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

/** S6 in the network's books: no capture goes back twice, nor both by a reversal and by refunds. */
export function checkMoney(payments: readonly TruePayment[]): string[] {
  return payments.flatMap(({ report: { reference }, reversedBy, refunds }) => [
    ...(reversedBy.size > 1 ? [`${reference} was reversed under ${[...reversedBy].join(' and ')}`] : []),
    ...(reversedBy.size > 0 && refunds.size > 0 ? [`${reference} was reversed and refunded`] : []),
  ])
}

/** What has happened in a run, as far as its end shows it. */
export function marksOf({ bank, receiver, merchants }: SimulatedWorld): string[] {
  const acknowledged = receiver.webhooks.filter(({ answered }) => answered === 200)
  const seen: Readonly<Partial<Record<Mark, boolean>>> = {
    'a client got no answer': merchants.operations.some(({ type }) => type === 'info'),
    'a webhook was refused at first': acknowledged.length < receiver.webhooks.length,
    'a webhook came twice': new Set(acknowledged.map(({ id }) => id)).size < acknowledged.length,
    'a capture was reversed': bank.payments.some(({ reversedBy }) => reversedBy.size > 0),
    'a refund was made': bank.payments.some(({ refunds }) => refunds.size > 0),
    'an order was created twice at once': merchants.operations.some(
      ({ process, type }) => process.endsWith('again') && type === 'ok',
    ),
  }
  return Object.entries(seen).flatMap(([mark, isSeen]) => (isSeen ? [mark] : []))
}
