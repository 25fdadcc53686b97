import type { Payment } from '../domain/payment.ts'
import type { Payments } from '../persistence/payments.ts'

const MAX_TRIES = 10

/** Read, change, save unless somebody else was faster, and then again. `undefined` when there is no such payment. */
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
  throw new Error(`payment ${reference} changed ${MAX_TRIES} times while it was being changed`)
}
