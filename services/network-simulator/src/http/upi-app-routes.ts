import { Router } from 'express'
import { AppError, compile, Refused, type UpiIntent } from '@gateway/contracts'
import { formReader, setPageHeaders } from '@gateway/service-kit/http'
import type { PayByUpi } from '../use-cases/pay-by-upi.ts'
import type { ResolvePayments } from '../use-cases/resolve-payment.ts'
import { noPaymentPage, paidPage, payPage } from '../views/upi-app-page.ts'
import { answerUnknown, sendPage } from './pages.ts'
import { outcomeFields, payFields, readIntent } from './sandbox-routes.ts'

const payForm = compile({
  type: 'object',
  required: ['intent', 'vpa'],
  properties: { ...payFields, intent: { type: 'string', maxLength: payFields.intent.maxLength } },
})
const decideForm = compile({ type: 'object', required: ['outcome'], properties: outcomeFields })
const readForm = formReader({ limitBytes: 8192, maxFields: 5 })
const NOT_A_LINK =
  'This is not a UPI link of this gateway. Such a link begins with upi://pay and has an amount and a transaction.'

/** The sandbox's UPI app for testers with a browser. Programs post to `/sandbox/upi/pay`. */
export function upiAppRoutes({ payByUpi, app }: { payByUpi: PayByUpi; app: ResolvePayments }): Router {
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
      const payment = await app.upiPayment(params.reference)
      sendPage(response, paidPage(payment, setPageHeaders(response)))
    })
    .post('/sandbox/upi/payments/:reference', readForm, async (request, response) => {
      const { outcome } = decideForm.parse(request.body)
      const { reference } = request.params
      await app.resolveUpi(reference, outcome)
      setPageHeaders(response)
      response.redirect(303, `/sandbox/upi/payments/${reference}`)
    })
    .use('/sandbox/upi/payments', answerUnknown(noPaymentPage))
}
