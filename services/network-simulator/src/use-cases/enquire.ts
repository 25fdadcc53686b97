import { Unavailable } from '@gateway/contracts'
import { countUnclear, isUnclear, type Payment } from '../domain/payment.ts'
import { updatePayment } from '../persistence/payments.ts'
import type { Tools } from './create-payments.ts'

/**
 * Returns all payments of a transaction; an unknown transaction has none.
 * Throws `Unavailable` (`upstream_timeout`) while the bank of one of them does not answer.
 */
export type Enquire = (tr: string) => Promise<readonly Payment[]>

export function makeEnquire({ payments, now }: Tools): Enquire {
  return async (tr) => {
    const known = await payments.findByTransaction(tr)
    const unclear = known.filter((payment) => isUnclear(payment, now()))
    if (unclear.length === 0) return known
    await Promise.all(unclear.map(({ reference }) => updatePayment(payments, reference, countUnclear)))
    throw new Unavailable('upstream_timeout', 'The bank did not answer in time; ask again')
  }
}
