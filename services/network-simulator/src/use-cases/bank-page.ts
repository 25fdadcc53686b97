import { Refused } from '@gateway/contracts'
import type { BankPage, Payment } from '../domain/payment.ts'
import { decidePending, type Decision, type Dependencies } from './resolve-payment.ts'

/** A payment whose shopper stands before the bank's page. */
export interface OpenPage {
  readonly payment: Payment
  readonly page: BankPage
}

export interface BankPages {
  open(token: string): Promise<OpenPage>
  /** The shopper's decision; a second one changes nothing. */
  decide(token: string, decision: Decision): Promise<OpenPage>
}

/** What a shopper does on the page of a bank or an issuer. Throws `payment_not_found` for an address that was never given. */
export function makeBankPages(dependencies: Dependencies): BankPages {
  const open = async (token: string): Promise<OpenPage> => {
    const payment = await dependencies.payments.findByPage(token)
    if (!payment?.page) throw new Refused('payment_not_found', 'There is no such page')
    return { payment, page: payment.page }
  }
  return {
    open,
    async decide(token, decision) {
      const { payment, page } = await open(token)
      return { page, payment: await decidePending(payment, decision, dependencies) }
    },
  }
}
