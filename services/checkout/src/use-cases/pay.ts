import type { TransactionView } from '@gateway/contracts'
import type { Network } from '../clients/network.ts'
import type { PaymentStatus } from '../clients/payment-status.ts'
import { isRefused, readPayForm, type FormMethod, type Instrument, type RefusedForm } from '../domain/card-form.ts'
import { slotOf, type Slot } from '../domain/slot.ts'
import type { AttemptIdOf } from './attempt-ids.ts'

/** Something to tell on the page that the shopper is taken back to. */
export type Notice = 'already_started' | 'out_of_date'

export type PayOutcome =
  | { readonly kind: 'unknown' }
  /** The page says how it stands. */
  | { readonly kind: 'page'; readonly notice?: Notice }
  /** The form again, with its mistakes. */
  | { readonly kind: 'form'; readonly view: TransactionView; readonly form: RefusedForm }
  /** To the bank, to confirm. */
  | { readonly kind: 'bank'; readonly view: TransactionView; readonly attemptId: string; readonly redirectUrl: string }

/** Pays with a card or a bank. Throws `Unavailable` when payment-status is away; then the network was not called. */
export type Pay = (transactionId: string, fields: Readonly<Record<string, unknown>>) => Promise<PayOutcome>

/** The gateway waits ten seconds for a page; what is left of that belongs to the network. */
export const WHOLE_BUDGET_MS = 9000
const MOST_FOR_NETWORK_MS = 8000
const LEAST_FOR_NETWORK_MS = 1500

interface Dependencies {
  readonly paymentStatus: PaymentStatus
  readonly network: Network
  readonly attemptIdOf: AttemptIdOf
  /** Where the bank's page leads back to. */
  readonly linkOf: (transactionId: string) => string
  readonly environment: 'sandbox' | 'production'
  readonly now: () => Date
}

export function makePay({ paymentStatus, network, attemptIdOf, linkOf, environment, now }: Dependencies): Pay {
  return async (transactionId, fields) => {
    const beganAtMs = performance.now()
    const view = await paymentStatus.find(transactionId)
    if (!view) return { kind: 'unknown' }

    const attemptId = fields['attempt_id']
    const method = formMethod(fields['method'])
    const slot = slotOf(view, { attemptId, method }, now(), attemptIdOf(transactionId, view.attempts.length))
    if (method === undefined || typeof attemptId !== 'string' || !canGoOn(slot)) return turnedAway(slot)
    const form = readPayForm(method, fields, { now: now(), environment })
    if (isRefused(form)) return slot.kind === 'free' ? { kind: 'form', view, form } : alreadyStarted

    if (slot.kind === 'free') {
      const commit = await paymentStatus.startAttempt(transactionId, { id: attemptId, method: form.method })
      if (commit !== 'committed') return commit === 'another_is_open' ? alreadyStarted : { kind: 'page' }
    }
    const leftMs = WHOLE_BUDGET_MS - (performance.now() - beganAtMs)
    const budgetMs = Math.max(Math.min(leftMs, MOST_FOR_NETWORK_MS), LEAST_FOR_NETWORK_MS)
    const answer = await network.start(startRequest(view, attemptId, form, linkOf(transactionId)), budgetMs)
    if (answer.kind === 'conflict') return alreadyStarted
    if (answer.kind !== 'started' || answer.redirectUrl === null) return { kind: 'page' }
    return { kind: 'bank', view, attemptId, redirectUrl: answer.redirectUrl }
  }
}

const alreadyStarted: PayOutcome = { kind: 'page', notice: 'already_started' }

function canGoOn(slot: Slot): slot is Extract<Slot, { kind: 'free' | 'resume' }> {
  return slot.kind === 'free' || slot.kind === 'resume'
}

function turnedAway({ kind }: Slot): PayOutcome {
  if (kind === 'another_is_open' || kind === 'resume') return alreadyStarted
  return kind === 'closed' ? { kind: 'page' } : { kind: 'page', notice: 'out_of_date' }
}

function startRequest(view: TransactionView, attemptId: string, { method, details }: Instrument, returnUrl: string) {
  const { id: tr, amount, currency, description } = view
  return { attempt_id: attemptId, tr, method, amount, currency, description, return_url: returnUrl, ...details }
}

function formMethod(value: unknown): FormMethod | undefined {
  return value === 'card' || value === 'netbanking' ? value : undefined
}
