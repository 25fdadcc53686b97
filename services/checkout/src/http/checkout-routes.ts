import express, { type Request, type Response, Router } from 'express'
import { readCheckoutToken, Refused, Unavailable, type TransactionView } from '@gateway/contracts'
import type { Environment, Log } from '@gateway/service-kit'
import type { PaymentStatus } from '../clients/payment-status.ts'
import { isOver, keyOf, pageState } from '../domain/page-state.ts'
import { wordsFor } from '../domain/words.ts'
import type { PaymentWatcher } from '../use-cases/watch-payments.ts'
import { paymentPage, paymentPanel, type PanelContext } from '../views/payment-page.ts'
import type { Csrf } from './csrf.ts'
import { answerErrorPage } from './error-pages.ts'
import { openEventStream } from './event-stream.ts'
import { setPageHeaders } from './page-headers.ts'

interface Dependencies {
  readonly environment: Environment
  readonly linkKey: Buffer
  readonly paymentStatus: PaymentStatus
  readonly watcher: PaymentWatcher
  readonly csrf: Csrf
  readonly now: () => Date
  readonly log: Log
}

const readForm = express.urlencoded({ extended: false, limit: '4kb', parameterLimit: 10 })

/** The hosted page of a payment. Whoever has the link may use it; the link is never logged. */
export function checkoutRoutes(dependencies: Dependencies): Router {
  const { environment, linkKey, paymentStatus, csrf, now, log } = dependencies
  const transactionOf = ({ params }: Request<{ token: string }>): string => {
    const transactionId = readCheckoutToken(params.token, linkKey)
    if (transactionId === undefined) throw linkUnknown()
    return transactionId
  }

  return Router()
    .get('/checkout/:token', async (request, response) => {
      const transactionId = transactionOf(request)
      const view = await paymentStatus.find(transactionId)
      if (!view) throw linkUnknown()
      const nonce = setPageHeaders(response)
      const token = csrf.issue(request, response, transactionId)
      const context = { token: request.params.token, csrf: token, now: now() }
      response.type('html').send(paymentPage(view, { ...context, nonce, environment }).markup)
    })
    .get('/checkout/:token/events', (request, response) => {
      const transactionId = transactionOf(request)
      streamPayment(request, response, transactionId, dependencies)
    })
    .post('/checkout/:token/cancel', readForm, async (request, response) => {
      const transactionId = transactionOf(request)
      const form: unknown = request.body
      const token = typeof form === 'object' && form !== null && 'csrf' in form ? form.csrf : undefined
      if (!csrf.isValid(request, transactionId, token)) {
        throw new Refused('forbidden', 'The form did not come from the page of this payment')
      }
      await paymentStatus.cancel(transactionId)
      response.redirect(303, `/checkout/${request.params.token}`)
    })
    .use('/checkout', () => {
      throw linkUnknown()
    })
    .use('/checkout', answerErrorPage(environment, log))
}

function streamPayment(
  request: Request<{ token: string }>,
  response: Response,
  transactionId: string,
  { csrf, watcher, now }: Dependencies,
): void {
  const context = (): PanelContext => ({
    token: request.params.token,
    csrf: csrf.token(request, transactionId),
    now: now(),
  })
  const unwatch = watcher.watch(transactionId, {
    onChange: (view) => stream.send('payment', liveView(view, context())),
    onEnd: () => stream.end(),
  })
  if (!unwatch) throw new Unavailable('too_many_listeners', 'Too many pages are open', { retryAfterSeconds: 5 })
  const stream = openEventStream(response, unwatch)
}

/** What the page's script puts into the page. */
function liveView(view: TransactionView, context: PanelContext): object {
  const state = pageState(view, context.now)
  const { title } = wordsFor(state, view.merchant.name)
  return { title, key: keyOf(state), over: isOver(view), html: paymentPanel(view, context).markup }
}

function linkUnknown(): Refused {
  return new Refused('not_found', 'There is no payment at this address')
}
