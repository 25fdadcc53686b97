import express, { Router, type Request, type RequestHandler, type Response } from 'express'
import { Refused } from '@gateway/contracts'
import type { Pay, PayOutcome } from '../use-cases/pay.ts'
import type { TryAnotherWay } from '../use-cases/try-another-way.ts'
import { paymentPage } from '../views/payment-page.ts'
import { leaveNotice } from './cookies.ts'
import { linkUnknown, type Door } from './door.ts'
import { languageOf } from './language.ts'
import { setPageHeaders } from './page-headers.ts'
import { sendPage } from './send-page.ts'

export interface FormUseCases {
  readonly pay: Pay
  readonly tryAnotherWay: TryAnotherWay
  readonly cancel: (transactionId: string) => Promise<void>
}

type PageRequest = Request<{ token: string }>
type Fields = Readonly<Record<string, unknown>>

const MAX_FIELDS = 20
const readForm: RequestHandler<{ token: string }> = express.urlencoded({
  extended: false,
  limit: '4kb',
  parameterLimit: MAX_FIELDS,
})

/**
 * The forms of the page. Each answers with a redirect, so that a reload repeats nothing; only a form with mistakes comes back
 * at once. Card data lives in the request's own variables, and nowhere else.
 */
export function formRoutes(door: Door, { pay, tryAnotherWay, cancel }: FormUseCases): Router {
  /** Nothing of a stranger's body is waited for. */
  const requireLink: RequestHandler<{ token: string }> = (request, _response, next) => {
    door.transactionOf(request)
    next()
  }
  return Router()
    .post('/checkout/:token/pay', requireLink, readForm, async (request, response) => {
      const transactionId = door.transactionOf(request)
      answerPay(door, request, response, await pay(transactionId, ourForm(door, request, transactionId)))
    })
    .post('/checkout/:token/another-way', requireLink, readForm, async (request, response) => {
      const transactionId = door.transactionOf(request)
      await tryAnotherWay(transactionId, ourForm(door, request, transactionId)['attempt_id'])
      response.redirect(303, door.pathOf(request))
    })
    .post('/checkout/:token/cancel', requireLink, readForm, async (request, response) => {
      const transactionId = door.transactionOf(request)
      ourForm(door, request, transactionId)
      await cancel(transactionId)
      response.redirect(303, door.pathOf(request))
    })
}

function answerPay(door: Door, request: PageRequest, response: Response, outcome: PayOutcome): void {
  const { environment, bankCookie } = door
  const path = door.pathOf(request)
  switch (outcome.kind) {
    case 'unknown':
      throw linkUnknown()
    case 'form':
      showForm(door, request, response, outcome)
      return
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

function showForm(
  door: Door,
  request: PageRequest,
  response: Response,
  { view, form }: Extract<PayOutcome, { kind: 'form' }>,
): void {
  const nonce = setPageHeaders(response)
  const csrf = door.csrf.issue(request, response, view.id)
  const context = door.contextOf(request, view, { csrf, language: languageOf(request), form })
  sendPage(request, response.status(422), paymentPage(view, { ...context, nonce, path: door.pathOf(request) }))
}

/** The fields of a form that came from our own page; throws when it did not. */
function ourForm({ csrf }: Door, request: PageRequest, transactionId: string): Fields {
  const form: unknown = request.body
  const fields: Fields = typeof form === 'object' && form !== null ? { ...form } : {}
  if (csrf.isValid(request, transactionId, fields['csrf'])) return fields
  throw new Refused('forbidden', 'The form did not come from the page of this payment')
}
