import type { TransactionView } from '@gateway/contracts'
import type { StartAtNetwork } from '../clients/network.ts'
import type { PaymentStatus } from '../clients/payment-status.ts'
import { isRefused, readPayForm, type FormMethod, type Instrument, type RefusedForm } from '../domain/card-form.ts'
import type { Outages } from '../domain/outages.ts'
import { decideForm, pageState, type Notice } from '../domain/page-state.ts'
import type { AttemptIdsOf } from './attempt-ids.ts'

export type PayOutcome =
  /** Redirect to the page, which shows the payment's state. */
  | { readonly kind: 'page'; readonly notice?: Notice }
  /** Show the form again, with its mistakes. */
  | { readonly kind: 'form'; readonly view: TransactionView; readonly form: RefusedForm }
  /** Redirect to the bank, where the shopper confirms. */
  | { readonly kind: 'bank'; readonly view: TransactionView; readonly attemptId: string; readonly redirectUrl: string }

/**
 * Pays with a card or a bank: commits the attempt at payment-status, then starts it at the network.
 * Throws `Refused` (`not_found`) for an unknown transaction, and `Unavailable` when payment-status does not answer; the network was
 * then not called.
 */
export type Pay = (transactionId: string, fields: Readonly<Record<string, unknown>>) => Promise<PayOutcome>

/** The gateway waits ten seconds for a page. The network gets the time that the other calls leave. */
export const TOTAL_BUDGET_MS = 9000
const MAX_NETWORK_MS = 8000
const MIN_NETWORK_MS = 1500

interface Dependencies {
  readonly paymentStatus: PaymentStatus
  readonly startAtNetwork: StartAtNetwork
  readonly attemptIdsOf: AttemptIdsOf
  /** The address that the bank's page returns the shopper to. */
  readonly linkOf: (transactionId: string) => string
  readonly environment: 'sandbox' | 'production'
  readonly outagesNow: () => Outages
  readonly now: () => Date
}

export function makePay({
  paymentStatus,
  startAtNetwork,
  attemptIdsOf,
  linkOf,
  environment,
  outagesNow,
  now,
}: Dependencies): Pay {
  return async (transactionId, fields) => {
    const startedAtMs = performance.now()
    const view = await paymentStatus.find(transactionId)
    const outages = outagesNow()
    const sent = { attemptId: fields['attempt_id'], method: formMethod(fields['method']) }
    const decision = decideForm(view, sent, now(), attemptIdsOf(transactionId, view.attempts.length), outages)
    if (decision.kind === 'page') return decision
    const { attemptId, method } = decision
    // An attempt that has started goes on, whatever is down by now.
    const hiddenBanks = decision.kind === 'start' ? outages.hiddenBanks : []
    const form = readPayForm(method, fields, { now: now(), environment, hiddenBanks })
    if (isRefused(form)) return decision.kind === 'start' ? { kind: 'form', view, form } : alreadyStarted

    if (decision.kind === 'start') {
      const commit = await paymentStatus.startAttempt(transactionId, { id: attemptId, method: form.method })
      if (commit !== 'committed') return commit === 'another_is_open' ? alreadyStarted : { kind: 'page' }
    }
    const leftMs = TOTAL_BUDGET_MS - (performance.now() - startedAtMs)
    const budgetMs = Math.max(Math.min(leftMs, MAX_NETWORK_MS), MIN_NETWORK_MS)
    const answer = await startAtNetwork(startRequest(view, attemptId, form, linkOf(transactionId)), budgetMs)
    if (answer.kind === 'conflict') return alreadyStarted
    if (answer.kind !== 'started' || answer.redirectUrl === null) return { kind: 'page' }
    return { kind: 'bank', view, attemptId, redirectUrl: answer.redirectUrl }
  }
}

const alreadyStarted: PayOutcome = { kind: 'page', notice: 'already_started' }

function startRequest(view: TransactionView, attemptId: string, { method, details }: Instrument, returnUrl: string) {
  const { id: tr, amount, currency, description } = view
  return { attempt_id: attemptId, tr, method, amount, currency, description, return_url: returnUrl, ...details }
}

function formMethod(value: unknown): FormMethod | undefined {
  return value === 'card' || value === 'netbanking' ? value : undefined
}

/** Abandons an open attempt so that another can start. Its money may still arrive, so payment-status keeps enquiring. */
export function makeTryAnotherWay({ paymentStatus, now }: Pick<Dependencies, 'paymentStatus' | 'now'>): Pay {
  return async (transactionId, fields) => {
    const state = pageState(await paymentStatus.find(transactionId), now())
    // Otherwise the form is of an old page, or no attempt is left: change nothing, the page shows the state.
    if (state.kind === 'waiting' && state.canSwitch && state.attempt && state.attempt.id === fields['attempt_id'])
      await paymentStatus.abandonAttempt(transactionId, state.attempt.id)
    return { kind: 'page' }
  }
}
