import { Router, type ErrorRequestHandler } from 'express'
import { CHECKOUT_TOKEN } from '@gateway/contracts'
import type { Environment, Log } from '@gateway/service-kit'
import { setPageHeaders, toProblem } from '@gateway/service-kit/http'
import { inLanguage } from '../domain/words.ts'
import { messagePage, type MessageKind } from '../views/message-page.ts'
import { linkUnknown, type CheckoutContext } from './checkout-context.ts'
import { chooseLanguage } from './cookies.ts'
import { formRoutes, pageRoutes, type FormUseCases } from './payment-routes.ts'

/** All routes under `/checkout`: pages, forms, and one error page for every failure. */
export function checkoutRoutes(checkout: CheckoutContext, useCases: FormUseCases, log: Log): Router {
  return Router()
    .use(pageRoutes(checkout))
    .use(formRoutes(checkout, useCases))
    .use('/checkout', () => {
      throw linkUnknown()
    })
    .use('/checkout', answerErrorPage(checkout.environment, log))
}

/** The part of an address that is the page's own path; anything after the token is cut off. */
const PAGE = new RegExp(`^/checkout/${CHECKOUT_TOKEN}`, 'u')

const MESSAGES: Readonly<Record<number, MessageKind>> = {
  400: 'not_ours',
  403: 'not_ours',
  404: 'link_not_valid',
  415: 'not_ours',
  503: 'try_again',
}

/** Answers errors with a page for shoppers. The address is a secret, so the log has the reason and never the link. */
function answerErrorPage(environment: Environment, log: Log): ErrorRequestHandler {
  return (error: unknown, request, response, _next) => {
    const { status, code, retryAfterSeconds } = toProblem(error)
    if (status >= 500) log[status === 503 ? 'warn' : 'error']('request failed', { code, error })
    if (response.headersSent) return void response.destroy()
    const nonce = setPageHeaders(response)
    const texts = inLanguage(chooseLanguage(request, response, environment))
    const path = PAGE.exec(request.originalUrl)?.[0] ?? '/checkout/'
    if (retryAfterSeconds !== undefined) response.setHeader('retry-after', String(retryAfterSeconds))
    // An address that cannot be decoded is not one of our links. An unreadable form says nothing about the link.
    const shown = status === 400 && request.method !== 'POST' ? 404 : status
    const page = messagePage(MESSAGES[shown] ?? 'unexpected', { nonce, environment, ...texts, path, retryAfterSeconds })
    response.status(shown).type('html').send(page.markup)
  }
}
