import type { PaymentStatus } from '../clients/payment-status.ts'
import { pageState } from '../domain/page-state.ts'

/** Abandons an open attempt so that another can start. Its money may still arrive, so payment-status keeps enquiring. */
export type TryAnotherWay = (transactionId: string, attemptId: unknown) => Promise<void>

export function makeTryAnotherWay(dependencies: { paymentStatus: PaymentStatus; now: () => Date }): TryAnotherWay {
  const { paymentStatus, now } = dependencies
  return async (transactionId, attemptId) => {
    const view = await paymentStatus.find(transactionId)
    const state = view && pageState(view, now())
    // A form of an old page, or no attempt is left: change nothing, the page shows the state.
    if (state?.kind !== 'waiting' || !state.canSwitch || !state.attempt || state.attempt.id !== attemptId) return
    await paymentStatus.abandonAttempt(transactionId, state.attempt.id)
  }
}
