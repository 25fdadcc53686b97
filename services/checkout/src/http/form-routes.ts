import { Router, type RequestHandler, type Response } from 'express'
import { Refused } from '@gateway/contracts'
import { formReader } from '@gateway/service-kit/http'
import type { Pay, PayOutcome } from '../use-cases/pay.ts'
import { paymentPage } from '../views/payment-page.ts'
import { pathOf, sendPaymentPage, transactionOf, type CheckoutContext, type PageRequest } from './checkout-context.ts'
import { languageOf, leaveNotice } from './cookies.ts'

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
