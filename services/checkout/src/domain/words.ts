import { assertNever, type FailureReason } from '@gateway/contracts'
import type { PageState } from './page-state.ts'

/** What the page says, in plain words. */
export interface Words {
  readonly title: string
  readonly text: string
}

const MONEY_COMES_BACK = 'If money has left your account, it will be returned to you.'

const FAILURES: Readonly<Record<FailureReason, Words>> = {
  declined: {
    title: 'Payment declined',
    text: `Your bank or UPI app did not approve this payment. ${MONEY_COMES_BACK}`,
  },
  cancelled: { title: 'Payment cancelled', text: `This payment was cancelled. ${MONEY_COMES_BACK}` },
  expired: {
    title: 'The time to pay has ended',
    text: `We did not receive a payment in time. ${MONEY_COMES_BACK}`,
  },
  amount_mismatch: {
    title: 'A different amount was paid',
    text: 'The amount that was paid is not the amount of this order, so it is being returned to you.',
  },
  unconfirmed: {
    title: 'Payment not confirmed',
    text: `Your bank could not confirm this payment to us. ${MONEY_COMES_BACK}`,
  },
  network_error: {
    title: 'Payment failed',
    text: `The bank could not be reached. ${MONEY_COMES_BACK}`,
  },
}
const FAILED: Words = { title: 'Payment failed', text: `This payment did not go through. ${MONEY_COMES_BACK}` }

export function wordsFor(state: PageState, merchant: string): Words {
  switch (state.kind) {
    case 'choose':
      return state.intent === null
        ? { title: 'Choose how to pay', text: 'This page updates by itself.' }
        : { title: 'Pay with UPI', text: 'Use any UPI app on your phone. This page updates by itself.' }
    case 'no_method':
      return {
        title: 'This payment cannot be made here',
        text: `No way to pay ${merchant} is open for this order now. You have not been charged.`,
      }
    case 'waiting':
      return {
        title: 'Waiting for your bank',
        text: 'Your payment is on its way. Approve it in your UPI app if it asks you to; this page updates by itself.',
      }
    case 'closing':
      return state.why === 'cancelled'
        ? { title: 'Cancelling', text: 'We are checking with the bank that no money has moved. Please do not pay now.' }
        : {
            title: 'The time to pay has ended',
            text: 'We are checking with the bank whether you have paid. Please do not pay now.',
          }
    case 'success':
      return { title: 'Payment successful', text: `Your payment to ${merchant} is complete. You can close this page.` }
    case 'failed':
      return state.reason === null ? FAILED : FAILURES[state.reason]
    default:
      return assertNever(state)
  }
}

/** Why an earlier try did not work, where another one is possible. */
export function wordsForRetry(reason: FailureReason): string {
  return `${FAILURES[reason].title}. You can try again.`
}
