import { Refused } from '@gateway/contracts'
import { applyAction, openPageOf, settle, type PageAction } from '../domain/decide.ts'
import type { BankPage, Payment } from '../domain/payment.ts'
import { updatePayment } from '../persistence/payments.ts'
import type { Tools } from './create-payments.ts'

/** What a tester decides. */
export type Decision = 'success' | 'failure'

/** Decisions of testers about pending payments, and the sandbox's UPI app, which shows and decides one. */
export interface ResolvePayments {
  /**
   * Decides every pending payment of a transaction and sends the callbacks. Throws `Refused`: `payment_not_found` without payments,
   * `payment_finished` when none is pending.
   */
  resolve(tr: string, decision: Decision): Promise<readonly Payment[]>
  /** A UPI payment. Throws `Refused` (`payment_not_found`) for any other. */
  upiPayment(reference: string): Promise<Payment>
  /** Decides a pending UPI payment; one that is decided does not change. Throws as `upiPayment`. */
  resolveUpi(reference: string, decision: Decision): Promise<Payment>
}

export function makeResolvePayments({ payments, sender, now }: Tools): ResolvePayments {
  /** Returns the current payment. */
  const decide = async (payment: Payment, decision: Decision): Promise<Payment> => {
    const decided = await updatePayment(payments, payment.reference, (current) =>
      current.outcome === 'pending'
        ? settle(current, decision === 'success' ? 'success' : 'failed', now(), 'declined by the tester')
        : current,
    )
    if (!decided) return payment
    sender.sendSoon([decided])
    return decided
  }
  const upiPayment = async (reference: string): Promise<Payment> => {
    const payment = await payments.find(reference)
    if (payment?.method !== 'upi') throw new Refused('payment_not_found', 'There is no such payment')
    return payment
  }
  return {
    async resolve(tr, decision) {
      const known = await payments.findByTransaction(tr)
      if (known.length === 0) throw new Refused('payment_not_found', 'The simulator knows no payment of this transaction')
      const pending = known.filter(({ outcome }) => outcome === 'pending')
      if (pending.length === 0) throw new Refused('payment_finished', 'No payment of this transaction is pending')
      return Promise.all(pending.map((payment) => decide(payment, decision)))
    },
    upiPayment,
    resolveUpi: async (reference, decision) => decide(await upiPayment(reference), decision),
  }
}

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
export function makeBankPages({ payments, sender, now }: Tools): BankPages {
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
  const leftMs = Math.max(payment.page.expires_at.getTime() - now.getTime(), 0)
  return { payment, page: payment.page, isOpen: openPageOf(payment, now) !== undefined, leftMs }
}
