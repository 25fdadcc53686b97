import type { PaymentStatus } from '../clients/payment-status.ts'
import { pageState } from '../domain/page-state.ts'

/** Lets an open attempt be, so that another can begin; its money may still come, and payment-status keeps asking for it. */
export type TryAnotherWay = (transactionId: string, attemptId: unknown) => Promise<void>

export function makeTryAnotherWay(dependencies: { paymentStatus: PaymentStatus; now: () => Date }): TryAnotherWay {
  const { paymentStatus, now } = dependencies
  return async (transactionId, attemptId) => {
    const view = await paymentStatus.find(transactionId)
    const state = view && pageState(view, now())
    // An old page's form, or the last attempt: the page says how it stands.
    if (state?.kind !== 'waiting' || !state.canSwitch || !state.attempt || state.attempt.id !== attemptId) return
    await paymentStatus.abandonAttempt(transactionId, state.attempt.id)
  }
}
