import { Refused } from '@gateway/contracts'
import { applyAction, openPageOf, type PageAction } from '../domain/decide.ts'
import type { BankPage, Payment } from '../domain/payment.ts'
import { updatePayment } from '../persistence/payments.ts'
import type { Dependencies } from './resolve-payment.ts'

/** A payment and the page where its shopper decides. */
export interface BankVisit {
  readonly payment: Payment
  readonly page: BankPage
  /** True while the shopper can decide. */
  readonly isOpen: boolean
  /** Milliseconds until the page closes by itself. */
  readonly leftMs: number
}

export interface BankPages {
  open(token: string): Promise<BankVisit>
  /** A payment that is already decided does not change. */
  act(token: string, action: PageAction): Promise<BankVisit>
}

/** The pages of banks and issuers. Throws `Refused` (`payment_not_found`) for an unknown address. */
export function makeBankPages({ payments, sender, now }: Dependencies): BankPages {
  const open = async (token: string): Promise<BankVisit> => visitTo(await payments.findByPage(token), now())
  return {
    open,
    async act(token, action) {
      const { payment } = await open(token)
      const after = await updatePayment(payments, payment.reference, (current) => applyAction(current, action, now()))
      if (after) sender.sendSoon([after])
      return visitTo(after, now())
    },
  }
}

function visitTo(payment: Payment | undefined, now: Date): BankVisit {
  if (!payment?.page) throw new Refused('payment_not_found', 'There is no such page')
  const leftMs = Math.max(payment.page.expiresAt.getTime() - now.getTime(), 0)
  return { payment, page: payment.page, isOpen: openPageOf(payment, now) !== undefined, leftMs }
}
