import { Router, type ErrorRequestHandler, type Response } from 'express'
import { AppError, compile, Refused, requiredFields, type UpiIntent } from '@gateway/contracts'
import { formReader, setPageHeaders, type Html } from '@gateway/service-kit/http'
import { addressKey, type ClientAddress, type RateLimiter } from '@gateway/service-kit/limits'
import type { PageAction } from '../domain/decide.ts'
import type { BankPages, ResolvePayments } from '../use-cases/decide-payment.ts'
import type { PayByUpi } from '../use-cases/pay-order.ts'
import { closedPage, openPage, unknownPage } from '../views/bank-page.ts'
import { noPaymentPage, paidPage, payPage } from '../views/upi-app-page.ts'
import { outcomeFields, payFields, readIntent } from './sandbox-routes.ts'

const readForm = formReader({ limitBytes: 8192, maxFields: 5 })

/** Limits each address in what anybody may call: the pages of banks, the UPI app, and the routes for testers. */
export function limitPages({ limit, clientAddress }: { limit: RateLimiter; clientAddress: ClientAddress }): Router {
  return Router().use(['/bank', '/sandbox'], (request, _response, next) => {
    limit(addressKey(clientAddress(request)))
    next()
  })
}

const ACTIONS = ['otp', 'resend', 'success', 'failure', 'cancel'] as const
const actionForm = compile({
  type: 'object',
  required: ['action'],
  properties: { action: { enum: ACTIONS }, otp: { type: 'string', maxLength: 64 } },
})
const NOT_AN_OTP = 'Type the six digits of the one-time password.'

/** The page at the `redirect_url` of a card or net banking payment. */
export function bankRoutes(pages: BankPages): Router {
  const show = async (token: string, response: Response, error?: string): Promise<void> => {
    const visit = await pages.open(token)
    const nonce = setPageHeaders(response, visit.page.return_url)
    sendPage(response, visit.isOpen ? openPage(visit, nonce, error) : closedPage(visit, nonce))
  }
  return Router()
    .get('/bank/:token', ({ params }, response) => show(params.token, response))
    .post('/bank/:token', readForm, async (request, response) => {
      const { token } = request.params
      const action = readAction(actionForm.parse(request.body))
      if (!action) return show(token, response.status(422), NOT_AN_OTP)
      const { isOpen, page } = await pages.act(token, action)
      setPageHeaders(response, page.return_url)
      // A redirect, so that a reload does not send the form again.
      response.redirect(303, isOpen ? `/bank/${token}` : page.return_url)
    })
    .use('/bank', answerUnknown(unknownPage))
}

/** Returns `undefined` for input that is not six digits; it does not count as a wrong password. */
function readAction({ action, otp = '' }: { action: PageAction['kind']; otp?: string }): PageAction | undefined {
  if (action !== 'otp') return { kind: action }
  const digits = otp.replace(/\s/gu, '')
  return /^\d{6}$/u.test(digits) ? { kind: 'otp', otp: digits } : undefined
}

const payForm = compile(requiredFields({ ...payFields, intent: { type: 'string', maxLength: payFields.intent.maxLength } }))
const decideForm = compile(requiredFields(outcomeFields))
const NOT_A_LINK =
  'This is not a UPI link of this gateway. Such a link begins with upi://pay and has an amount and a transaction.'

interface UpiAppUseCases {
  readonly payByUpi: PayByUpi
  readonly resolvePayments: ResolvePayments
}

/** The sandbox's UPI app for testers with a browser. Programs post to `/sandbox/upi/pay`. */
export function upiAppRoutes({ payByUpi, resolvePayments }: UpiAppUseCases): Router {
  /** Returns the payment's reference, or the error that refused the payment. */
  const pay = async (intent: UpiIntent, vpa: string): Promise<string | AppError> => {
    try {
      return (await payByUpi({ intent, vpa, force: false })).reference
    } catch (error) {
      if (error instanceof AppError) return error
      throw error
    }
  }
  return Router()
    .get('/sandbox/upi', ({ query }, response) => {
      const intent = typeof query['intent'] === 'string' ? query['intent'] : ''
      sendPage(response, payPage({ intent, vpa: 'success@sandbox' }, setPageHeaders(response)))
    })
    .post('/sandbox/upi', readForm, async (request, response) => {
      const { intent: link, vpa } = payForm.parse(request.body)
      const intent = readIntent(link.trim())
      const reference = intent ? await pay(intent, vpa) : new Refused('not_a_link', NOT_A_LINK)
      const nonce = setPageHeaders(response)
      if (reference instanceof AppError)
        sendPage(response.status(422), payPage({ intent: link, vpa, problem: reference.message }, nonce))
      else response.redirect(303, `/sandbox/upi/payments/${reference}`)
    })
    .get('/sandbox/upi/payments/:reference', async ({ params }, response) => {
      const payment = await resolvePayments.upiPayment(params.reference)
      sendPage(response, paidPage(payment, setPageHeaders(response)))
    })
    .post('/sandbox/upi/payments/:reference', readForm, async (request, response) => {
      const { outcome } = decideForm.parse(request.body)
      const { reference } = request.params
      await resolvePayments.resolveUpi(reference, outcome)
      setPageHeaders(response)
      response.redirect(303, `/sandbox/upi/payments/${reference}`)
    })
    .use('/sandbox/upi/payments', answerUnknown(noPaymentPage))
}

function sendPage(response: Response, page: Html): void {
  response.type('html').send(page.markup)
}

/** Answers an unknown payment with a page. */
function answerUnknown(pageOf: (nonce: string) => Html): ErrorRequestHandler {
  return (error: unknown, _request, response, next) => {
    if (error instanceof Refused && error.code === 'payment_not_found')
      sendPage(response.status(404), pageOf(setPageHeaders(response)))
    else next(error)
  }
}
