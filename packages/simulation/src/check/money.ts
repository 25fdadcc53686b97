import type { TruePayment } from '../actors/network.ts'

/** S6 in the network's books: no capture goes back twice, nor both by a reversal and by refunds. */
export function checkMoney(payments: readonly TruePayment[]): string[] {
  return payments.flatMap(({ report: { reference }, reversedBy, refunds }) => [
    ...(reversedBy.size > 1 ? [`${reference} was reversed under ${[...reversedBy].join(' and ')}`] : []),
    ...(reversedBy.size > 0 && refunds.size > 0 ? [`${reference} was reversed and refunded`] : []),
  ])
}
