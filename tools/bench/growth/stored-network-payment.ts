import { hash, randomBytes } from 'node:crypto'
import { recordResults } from '@gateway-services/network-simulator/domain/callback'
import type { BankPage, Payment, Start } from '@gateway-services/network-simulator/domain/payment'
import { callbackOf } from '@gateway-services/network-simulator/domain/plan'
import { makePayment, payerOf } from '@gateway-services/network-simulator/use-cases/make-payment'
import { randomIds } from '@gateway-services/network-simulator/use-cases/new-ids'
import type { Transaction } from '@gateway-services/payment-status/domain/transaction'

const PAGE_LASTS_MS = 300_000

/** What the simulator keeps of a payment whose outcome was acknowledged: by a bank's page when an attempt is open, else in a UPI app. */
export function storedNetworkPayment({ transaction, outcome, at }: Ended): Payment {
  const [attempt] = transaction.attempts
  const plan = {
    outcome,
    amountPaise: transaction.order.amountPaise,
    failureReason: 'insufficient funds',
    callbacks: [callbackOf(outcome, at)],
  }
  const facts = attempt
    ? { method: 'netbanking' as const, instrument: 'HDFC', start: startOf(attempt.id), page: pageOf(at) }
    : { method: 'upi' as const, payer: payerOf('success@sandbox') }
  const made = makePayment({ tr: transaction.id, ...facts }, plan, at, randomIds)
  return { ...recordResults(made, new Map([[outcome, 'acknowledged']]), at), version: 3 }
}

interface Ended {
  readonly transaction: Transaction
  readonly outcome: 'success' | 'failed'
  readonly at: Date
}

function startOf(attemptId: string): Start {
  return { attemptId, fingerprint: hash('sha256', attemptId, 'base64url') }
}

function pageOf(at: Date): BankPage {
  return {
    kind: 'bank',
    token: randomBytes(24).toString('base64url'),
    returnUrl: 'https://pay.example/checkout/return',
    description: 'Blue shirt',
    expiresAt: new Date(at.getTime() + PAGE_LASTS_MS),
    refusesOtp: false,
    wrongOtps: 0,
    resends: 0,
    notice: null,
  }
}
