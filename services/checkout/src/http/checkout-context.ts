import { gzipSync } from 'node:zlib'
import type { KeyObject } from 'node:crypto'
import type { Request, Response } from 'express'
import { readCheckoutToken, Refused, type TransactionView } from '@gateway/contracts'
import type { Environment } from '@gateway/service-kit'
import { setPageHeaders, type Html } from '@gateway/service-kit/http'
import type { PaymentStatus } from '../clients/payment-status.ts'
import type { Outages } from '../domain/outages.ts'
import { openAttempt } from '../domain/page-state.ts'
import { inLanguage } from '../domain/words.ts'
import type { AttemptIdsOf } from '../use-cases/attempt-ids.ts'
import type { PaymentWatcher } from '../use-cases/watch-payments.ts'
import { platformOf, type LayoutContext, type PanelContext } from '../views/panel-context.ts'
import type { BankCookie } from './cookies.ts'
import type { Csrf } from './csrf.ts'

export type PageRequest = Request<{ token: string }>

/** What every checkout route works with. */
export interface CheckoutContext {
  readonly environment: Environment
  readonly linkKeys: readonly KeyObject[]
  readonly paymentStatus: PaymentStatus
  readonly watcher: PaymentWatcher
  readonly csrf: Csrf
  readonly bankCookie: BankCookie
  readonly attemptIdsOf: AttemptIdsOf
  readonly outagesNow: () => Outages
  readonly now: () => Date
}

/**
 * The transaction id of a link. Throws `Refused` (`not_found`) when its MAC is wrong. Holding the link is the only right that a
 * shopper needs, so the link is never logged.
 */
export function transactionOf({ params }: PageRequest, { linkKeys }: Pick<CheckoutContext, 'linkKeys'>): string {
  const transactionId = readCheckoutToken(params.token, linkKeys)
  if (transactionId === undefined) throw linkUnknown()
  return transactionId
}

/** Values that only one drawing has. */
type DrawOptions = Pick<PanelContext, 'language' | 'csrf' | 'form' | 'notice'>

/** The data that views need about a payment and the browser that shows it. */
export function panelContext(
  { environment, bankCookie, attemptIdsOf, outagesNow, now }: CheckoutContext,
  request: PageRequest,
  view: TransactionView,
  options: DrawOptions,
): PanelContext {
  const open = openAttempt(view)
  return {
    ...options,
    ...inLanguage(options.language),
    environment,
    path: pathOf(request),
    now: now(),
    platform: platformOf(request.get('user-agent')),
    attemptId: attemptIdsOf(view.id, view.attempts.length)[0],
    outages: outagesNow(),
    canContinueAtBank:
      open !== undefined && bankCookie.read(request, { transactionId: view.id, attemptId: open.id }) !== undefined,
  }
}

/** The path of a link's page. */
export function pathOf({ params }: PageRequest): string {
  return `/checkout/${params.token}`
}

export function linkUnknown(): Refused {
  return new Refused('not_found', 'There is no payment at this address')
}

/** Sends a page of a payment, with a CSRF token for its forms. */
export function sendPaymentPage(
  checkout: CheckoutContext,
  request: PageRequest,
  response: Response,
  { view, ...options }: { readonly view: TransactionView } & Omit<DrawOptions, 'csrf'>,
  draw: (view: TransactionView, context: PanelContext & LayoutContext) => Html,
): void {
  const nonce = setPageHeaders(response)
  const csrf = checkout.csrf.issue(request, response, view.id)
  const { markup } = draw(view, { ...panelContext(checkout, request, view, { ...options, csrf }), nonce })
  response.type('html').vary('accept-encoding')
  // No other site can put text into a page with a form token, so the compressed length reveals nothing about the token (BREACH).
  if (request.acceptsEncodings(['gzip', 'identity']) !== 'gzip') response.send(markup)
  else response.set('content-encoding', 'gzip').send(gzipSync(markup))
}
