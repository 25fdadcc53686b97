import { Router, type RequestHandler, type Response } from 'express'
import { Refused, Unavailable, type TransactionView } from '@gateway/contracts'
import { formReader } from '@gateway/service-kit/http'
import { openAttempt, pageState } from '../domain/page-state.ts'
import type { Pay, PayOutcome } from '../use-cases/pay.ts'
import { bankPage } from '../views/message-page.ts'
import { liveView, paymentPage, type LiveView } from '../views/payment-page.ts'
import {
  panelContext,
  pathOf,
  sendPaymentPage,
  transactionOf,
  type CheckoutContext,
  type PageRequest,
} from './checkout-context.ts'
import { chooseLanguage, languageOf, leaveNotice, takeNotice } from './cookies.ts'
import { LIVE_HEADERS, openEventStream } from './event-stream.ts'

/** What a browser reads: the page, its live state (as a stream and by polling), and the step to the bank. */
export function pageRoutes(checkout: CheckoutContext): Router {
  // A reload of a form's address, or a bank that returns the browser by POST: redirect to the page.
  const toPage = (request: PageRequest, response: Response): void => {
    transactionOf(request, checkout)
    response.redirect(303, pathOf(request))
  }
  return Router()
    .get('/checkout/:token', async (request, response) => showPage(checkout, request, response))
    .get('/checkout/:token/bank', async (request, response) => showBankPage(checkout, request, response))
    .get('/checkout/:token/events', (request, response) => streamPayment(checkout, request, response))
    .get('/checkout/:token/state', async (request, response) => showState(checkout, request, response))
    .post('/checkout/:token', toPage)
    .get('/checkout/:token/pay', toPage)
    .get('/checkout/:token/another-way', toPage)
    .get('/checkout/:token/cancel', toPage)
}

async function showPage(checkout: CheckoutContext, request: PageRequest, response: Response): Promise<void> {
  const { environment, paymentStatus } = checkout
  const view = await paymentStatus.find(transactionOf(request, checkout))
  const language = chooseLanguage(request, response, environment)
  const notice = takeNotice(request, response, { path: pathOf(request), environment })
  sendPaymentPage(checkout, request, response, { view, language, notice }, paymentPage)
}

/** A page instead of a redirect, because browsers apply `form-action 'self'` to redirects after a form too. */
async function showBankPage(checkout: CheckoutContext, request: PageRequest, response: Response): Promise<void> {
  const { paymentStatus, bankCookie, now } = checkout
  const transactionId = transactionOf(request, checkout)
  const view = await paymentStatus.find(transactionId)
  const open = pageState(view, now()).kind === 'waiting' ? openAttempt(view) : undefined
  const address = open && bankCookie.read(request, { transactionId, attemptId: open.id })
  if (address === undefined) response.redirect(303, pathOf(request))
  else
    sendPaymentPage(checkout, request, response, { view, language: languageOf(request) }, (_view, context) =>
      bankPage(view, address, context),
    )
}

function streamPayment(checkout: CheckoutContext, request: PageRequest, response: Response): void {
  const unwatch = checkout.watcher.watch(transactionOf(request, checkout), {
    onChange: (view) => stream.send('payment', updateFor(request, liveViewFor(checkout, request, view))),
    onEnd: () => stream.end(),
  })
  if (!unwatch) throw new Unavailable('too_many_pages', 'Too many pages are open', { retryAfterSeconds: 5 })
  const stream = openEventStream(response, unwatch)
}

/** The live state, for browsers and networks where an event stream breaks. */
async function showState(checkout: CheckoutContext, request: PageRequest, response: Response): Promise<void> {
  const view = await checkout.paymentStatus.find(transactionOf(request, checkout))
  const live = liveViewFor(checkout, request, view)
  response.set(LIVE_HEADERS)
  if (live.key === request.query['key']) response.status(204).end()
  else response.json(live)
}

/** A page names in `?key=` the state that it shows. Its markup is then left out, which saves data on slow connections. */
function updateFor(request: PageRequest, { html, ...live }: LiveView): object {
  return live.key === request.query['key'] ? live : { ...live, html }
}

/** The live view that the page's script shows. */
function liveViewFor(checkout: CheckoutContext, request: PageRequest, view: TransactionView): LiveView {
  const options = { csrf: checkout.csrf.token(request, view.id), language: languageOf(request) }
  return liveView(view, panelContext(checkout, request, view, options))
}

export interface FormUseCases {
  readonly pay: Pay
  readonly tryAnotherWay: Pay
}

type Fields = Readonly<Record<string, unknown>>

const readForm = formReader({ limitBytes: 4096, maxFields: 20 })

/**
 * The page's forms. Each answers with a redirect, so that a reload sends nothing again; only a form with mistakes is shown
 * directly. Card data exists only in local variables of the request.
 */
export function formRoutes(checkout: CheckoutContext, { pay, tryAnotherWay }: FormUseCases): Router {
  /** Checks the link before the body is read. */
  const requireLink: RequestHandler<{ token: string }> = (request, _response, next) => {
    transactionOf(request, checkout)
    next()
  }
  const answer =
    (act: (transactionId: string, fields: Fields) => Promise<PayOutcome>): RequestHandler<{ token: string }> =>
    async (request, response) => {
      const transactionId = transactionOf(request, checkout)
      const outcome = await act(transactionId, readOwnForm(checkout, request, transactionId))
      answerWith(checkout, request, response, outcome)
    }
  const cancel = async (transactionId: string): Promise<PayOutcome> => {
    await checkout.paymentStatus.cancel(transactionId)
    return { kind: 'page' }
  }
  return Router()
    .post('/checkout/:token/pay', requireLink, readForm, answer(pay))
    .post('/checkout/:token/another-way', requireLink, readForm, answer(tryAnotherWay))
    .post('/checkout/:token/cancel', requireLink, readForm, answer(cancel))
}

function answerWith(checkout: CheckoutContext, request: PageRequest, response: Response, outcome: PayOutcome): void {
  const { environment, bankCookie } = checkout
  const path = pathOf(request)
  switch (outcome.kind) {
    case 'form': {
      const { view, form } = outcome
      sendPaymentPage(checkout, request, response.status(422), { view, form, language: languageOf(request) }, paymentPage)
      return
    }
    case 'bank': {
      const { view, attemptId, redirectUrl } = outcome
      const cookie = { path, expires: new Date(view.expires_at) }
      bankCookie.set(response, { transactionId: view.id, attemptId }, redirectUrl, cookie)
      response.redirect(303, `${path}/bank`)
      return
    }
    case 'page':
      if (outcome.notice) leaveNotice(response, outcome.notice, { path, environment })
      response.redirect(303, path)
  }
}

/** The fields of a form from our own page. Throws `Refused` (`forbidden`) when the CSRF check fails. */
function readOwnForm({ csrf }: CheckoutContext, request: PageRequest, transactionId: string): Fields {
  const form: unknown = request.body
  const fields: Fields = typeof form === 'object' && form !== null ? { ...form } : {}
  if (csrf.isValid(request, transactionId, fields['csrf'])) return fields
  throw new Refused('forbidden', 'The form did not come from the page of this payment')
}
