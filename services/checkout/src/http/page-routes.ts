import { Router, type Request, type Response } from 'express'
import { Unavailable, type TransactionView } from '@gateway/contracts'
import { openAttempt, pageState } from '../domain/page-state.ts'
import { bankPage } from '../views/bank-page.ts'
import { liveView, type LiveView } from '../views/live-view.ts'
import { paymentPage } from '../views/payment-page.ts'
import { takeNotice } from './cookies.ts'
import type { Door } from './door.ts'
import { openEventStream } from './event-stream.ts'
import { chooseLanguage, languageOf } from './language.ts'
import { LIVE_HEADERS, setPageHeaders } from './page-headers.ts'
import { sendPage } from './send-page.ts'

type PageRequest = Request<{ token: string }>

/** What a shopper's browser looks at: the page, its live state twice over, and the step to the bank. */
export function pageRoutes(door: Door): Router {
  // The address of a form, loaded again, or a bank that sends the browser back by a form: the page says how it stands.
  const toPage = (request: PageRequest, response: Response): void => {
    door.transactionOf(request)
    response.redirect(303, door.pathOf(request))
  }
  return Router()
    .get('/checkout/:token', async (request, response) => showPage(door, request, response))
    .get('/checkout/:token/bank', async (request, response) => showBankPage(door, request, response))
    .get('/checkout/:token/events', (request, response) => streamPayment(door, request, response))
    .get('/checkout/:token/state', async (request, response) => showState(door, request, response))
    .post('/checkout/:token', toPage)
    .get('/checkout/:token/pay', toPage)
    .get('/checkout/:token/another-way', toPage)
    .get('/checkout/:token/cancel', toPage)
}

async function showPage(door: Door, request: PageRequest, response: Response): Promise<void> {
  const { environment, csrf, contextOf } = door
  const transactionId = door.transactionOf(request)
  const view = await door.find(transactionId)
  const path = door.pathOf(request)
  const nonce = setPageHeaders(response)
  const language = chooseLanguage(request, response, environment)
  const notice = takeNotice(request, response, { path, environment })
  const context = contextOf(request, view, { csrf: csrf.issue(request, response, transactionId), language, notice })
  sendPage(request, response, paymentPage(view, { ...context, nonce, path }))
}

/** A page and no redirect: `form-action 'self'` would hold for a redirect of a form's answer too. */
async function showBankPage(door: Door, request: PageRequest, response: Response): Promise<void> {
  const { environment, bankCookie, now } = door
  const transactionId = door.transactionOf(request)
  const view = await door.find(transactionId)
  const path = door.pathOf(request)
  const open = pageState(view, now()).kind === 'waiting' ? openAttempt(view) : undefined
  const address = open && bankCookie.read(request, { transactionId, attemptId: open.id })
  if (address === undefined) {
    response.redirect(303, path)
    return
  }
  const nonce = setPageHeaders(response)
  const language = languageOf(request)
  sendPage(request, response, bankPage(view, address, { nonce, environment, language, path }))
}

function streamPayment(door: Door, request: PageRequest, response: Response): void {
  const unwatch = door.watcher.watch(door.transactionOf(request), {
    onChange: (view) => stream.send('payment', newsFor(request, liveViewFor(door, request, view))),
    onEnd: () => stream.end(),
  })
  if (!unwatch) throw new Unavailable('too_many_listeners', 'Too many pages are open', { retryAfterSeconds: 5 })
  const stream = openEventStream(response, unwatch)
}

/** For browsers and networks on which an event stream does not last. */
async function showState(door: Door, request: PageRequest, response: Response): Promise<void> {
  const view = await door.find(door.transactionOf(request))
  const live = liveViewFor(door, request, view)
  response.set(LIVE_HEADERS)
  if (live.key === request.query['key']) response.status(204).end()
  else response.json(live)
}

/** A page says by `?key=` what it shows already: that need not travel again to a phone with a poor connection. */
function newsFor(request: PageRequest, { html, ...live }: LiveView): object {
  return live.key === request.query['key'] ? live : { ...live, html }
}

/** What the page's script puts into the page. */
function liveViewFor({ csrf, contextOf }: Door, request: PageRequest, view: TransactionView): LiveView {
  return liveView(view, contextOf(request, view, { csrf: csrf.token(request, view.id), language: languageOf(request) }))
}
