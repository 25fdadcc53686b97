import { Fault } from '@gateway/contracts'
import type { Payment } from '../domain/payment.ts'
import type { Payments } from '../persistence/payments.ts'

const MAX_TRIES = 10

/** Reads, changes and saves a payment; repeats when another caller saved first. Returns `undefined` for an unknown payment. */
export async function updatePayment(
  payments: Payments,
  reference: string,
  change: (payment: Payment) => Payment,
): Promise<Payment | undefined> {
  for (let tryNumber = 1; tryNumber <= MAX_TRIES; tryNumber++) {
    const before = await payments.find(reference)
    if (!before) return undefined
    const after = change(before)
    if (after === before) return before
    if (await payments.save(before, after)) return { ...after, version: before.version + 1 }
  }
  throw new Fault(`payment ${reference} could not be saved: other callers changed it ${MAX_TRIES} times meanwhile`)
}
