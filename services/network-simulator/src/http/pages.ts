import { Router, type ErrorRequestHandler, type Response } from 'express'
import { Refused } from '@gateway/contracts'
import { setPageHeaders, type Html } from '@gateway/service-kit/http'
import { addressKey, type ClientAddress, type RateLimiter } from '@gateway/service-kit/limits'

/** Limits each address in what anybody may call: the pages of banks, the UPI app, and the routes for testers. */
export function limitPages({ limit, clientAddress }: { limit: RateLimiter; clientAddress: ClientAddress }): Router {
  return Router().use(['/bank', '/sandbox'], (request, _response, next) => {
    limit(addressKey(clientAddress(request)))
    next()
  })
}

export function sendPage(response: Response, page: Html): void {
  response.type('html').send(page.markup)
}

/** Answers an unknown payment with a page. */
export function answerUnknown(pageOf: (nonce: string) => Html): ErrorRequestHandler {
  return (error: unknown, _request, response, next) => {
    if (error instanceof Refused && error.code === 'payment_not_found')
      sendPage(response.status(404), pageOf(setPageHeaders(response)))
    else next(error)
  }
}
