import type { Payment } from '../domain/payment.ts'
import type { Payments } from '../persistence/payments.ts'

/** Every payment known for a transaction, as it stands now; none is an empty list, never an error. */
export type Enquire = (tr: string) => Promise<readonly Payment[]>

export function makeEnquire({ payments }: { payments: Payments }): Enquire {
  return (tr) => payments.findByTransaction(tr)
}
