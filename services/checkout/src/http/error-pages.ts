import type { ErrorRequestHandler } from 'express'
import type { Environment, Log } from '@gateway/service-kit'
import { toProblem, setPageHeaders } from '@gateway/service-kit/http'
import { messagePage, type MessageKind } from '../views/message-page.ts'
import { chooseLanguage } from './language.ts'

/** The part of an address that is the page's own path; anything after the token is cut off. */
const PAGE = /^\/checkout\/[0-9A-Z]{1,35}-[A-Za-z0-9_-]{24}/u

/** Answers errors with a page for shoppers. The address is a secret, so the log has the reason and never the link. */
export function answerErrorPage(environment: Environment, log: Log): ErrorRequestHandler {
  return (error: unknown, request, response, _next) => {
    const { status, code, retryAfterSeconds } = toProblem(error)
    if (status >= 500) log[status === 503 ? 'warn' : 'error']('request failed', { code, error })
    if (response.headersSent) return void response.destroy()
    const nonce = setPageHeaders(response)
    const language = chooseLanguage(request, response, environment)
    const path = PAGE.exec(request.originalUrl)?.[0] ?? '/checkout/'
    if (retryAfterSeconds !== undefined) response.setHeader('retry-after', String(retryAfterSeconds))
    // An address that cannot be decoded is not one of our links. An unreadable form says nothing about the link.
    const shown = status === 400 && request.method !== 'POST' ? 404 : status
    response.status(shown).type('html')
    response.send(messagePage(messageFor(shown), { nonce, environment, language, path, retryAfterSeconds }).markup)
  }
}

function messageFor(status: number): MessageKind {
  switch (status) {
    case 404:
      return 'link_not_valid'
    case 400:
    case 403:
    case 415:
      return 'not_ours'
    case 503:
      return 'try_again'
    default:
      return 'unexpected'
  }
}
