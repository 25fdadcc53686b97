import { randomBytes } from 'node:crypto'
import express, { Router, type ErrorRequestHandler, type Response } from 'express'
import type { FromSchema } from 'json-schema-to-ts'
import { compile, Refused } from '@gateway/contracts'
import type { BankPages } from '../use-cases/bank-page.ts'
import type { Decision } from '../use-cases/resolve-payment.ts'
import { bankPage, decidedPage, unknownPage } from './bank-page.ts'
import type { Html } from '@gateway/service-kit'

const formSchema = {
  type: 'object',
  required: ['outcome'],
  properties: { outcome: { enum: ['success', 'failure', 'cancel'] } },
} as const
const decisionForm = compile<FromSchema<typeof formSchema>>(formSchema)

const DECISIONS = {
  success: { outcome: 'success' },
  failure: { outcome: 'failed', reason: 'declined by the bank' },
  cancel: { outcome: 'failed', reason: 'cancelled by the shopper' },
} as const satisfies Record<string, Decision>

/** The bank's page at the `redirect_url` of a card or net banking payment. */
export function bankRoutes(pages: BankPages): Router {
  return Router()
    .get('/bank/:token', async ({ params }, response) => {
      const opened = await pages.open(params.token)
      const nonce = protect(response, opened.page.returnUrl)
      send(response, opened.payment.outcome === 'pending' ? bankPage(opened, nonce) : decidedPage(opened, nonce))
    })
    .post('/bank/:token', express.urlencoded({ extended: false, limit: '1kb', parameterLimit: 5 }), async (request, response) => {
      const { outcome } = decisionForm.parse(request.body)
      const { page } = await pages.decide(request.params.token, DECISIONS[outcome])
      protect(response, page.returnUrl)
      response.redirect(303, page.returnUrl)
    })
    .use('/bank', answerUnknown)
}

const answerUnknown: ErrorRequestHandler = (error: unknown, _request, response, next) => {
  if (!(error instanceof Refused) || error.code !== 'payment_not_found') {
    next(error)
    return
  }
  const nonce = protect(response)
  send(response.status(404), unknownPage(nonce))
}

/** A strict policy; the form may end at the address that the shopper returns to, since browsers check redirects as well. */
function protect(response: Response, returnUrl?: string): string {
  const nonce = randomBytes(16).toString('base64')
  const formTarget = returnUrl === undefined ? "'none'" : `'self' ${new URL(returnUrl).origin}`
  response.set({
    'content-security-policy': `default-src 'none'; style-src 'nonce-${nonce}'; form-action ${formTarget}; base-uri 'none'; frame-ancestors 'none'`,
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  })
  return nonce
}

function send(response: Response, page: Html): void {
  response.type('html').send(page.markup)
}
