import type { ErrorRequestHandler } from 'express'
import { toProblem, type Environment, type Log } from '@gateway/service-kit'
import { messagePage, type Message } from '../views/message-page.ts'
import { setPageHeaders } from './page-headers.ts'

const LINK_NOT_VALID: Message = {
  title: 'This link is not valid',
  text: 'There is no payment at this address. Please open the link again as you received it, or ask the shop for a new one.',
}
const TRY_AGAIN: Message = {
  title: 'One moment, please',
  text: 'We cannot show this payment right now. If you have paid already, please do not pay again. This page tries again by itself.',
  refresh: true,
}
const NOT_OURS: Message = {
  title: 'Please try again',
  text: 'We could not be sure that this came from our own page, so nothing was changed. Go back, reload the page, and allow cookies for it.',
}
const UNEXPECTED: Message = { title: 'Something went wrong', text: 'Nothing was changed. Please reload the page in a moment.' }

/** Shoppers get a page, not a problem document. The address is a secret, so the log has the reason and never the link. */
export function answerErrorPage(environment: Environment, log: Log): ErrorRequestHandler {
  return (error: unknown, _request, response, _next) => {
    const { status, code, retryAfterSeconds } = toProblem(error)
    if (status >= 500) log[status === 503 ? 'warn' : 'error']('request failed', { code, error })
    if (response.headersSent) return void response.destroy()
    const nonce = setPageHeaders(response)
    if (retryAfterSeconds !== undefined) response.setHeader('retry-after', String(retryAfterSeconds))
    // An address that cannot even be decoded is no link of ours either.
    response.status(status === 400 ? 404 : status).type('html')
    response.send(messagePage(messageFor(status), { nonce, environment, retryAfterSeconds }).markup)
  }
}

function messageFor(status: number): Message {
  switch (status) {
    case 400:
    case 404:
      return LINK_NOT_VALID
    case 403:
      return NOT_OURS
    case 503:
      return TRY_AGAIN
    default:
      return UNEXPECTED
  }
}
