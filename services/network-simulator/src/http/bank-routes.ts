import { Router } from 'express'
import { compile } from '@gateway/contracts'
import { formReader, setPageHeaders } from '@gateway/service-kit/http'
import type { PageAction } from '../domain/decide.ts'
import type { BankPages } from '../use-cases/bank-page.ts'
import { closedPage, openPage, unknownPage } from '../views/bank-page.ts'
import { answerUnknown, sendPage } from './pages.ts'

const ACTIONS = ['otp', 'resend', 'success', 'failure', 'cancel'] as const
const pageForm = compile({
  type: 'object',
  required: ['action'],
  properties: { action: { enum: ACTIONS }, otp: { type: 'string', maxLength: 64 } },
})
const NOT_AN_OTP = 'Type the six digits of the one-time password.'
const readForm = formReader({ limitBytes: 1024, maxFields: 5 })

/** The page at the `redirect_url` of a card or net banking payment. */
export function bankRoutes(pages: BankPages): Router {
  return Router()
    .get('/bank/:token', async ({ params }, response) => {
      const visit = await pages.open(params.token)
      const nonce = setPageHeaders(response, visit.page.returnUrl)
      sendPage(response, visit.isOpen ? openPage(visit, nonce) : closedPage(visit, nonce))
    })
    .post('/bank/:token', readForm, async (request, response) => {
      const { token } = request.params
      const action = readAction(pageForm.parse(request.body))
      if (!action) {
        const visit = await pages.open(token)
        const nonce = setPageHeaders(response.status(422), visit.page.returnUrl)
        sendPage(response, visit.isOpen ? openPage(visit, nonce, NOT_AN_OTP) : closedPage(visit, nonce))
        return
      }
      const { isOpen, page } = await pages.act(token, action)
      setPageHeaders(response, page.returnUrl)
      // A redirect, so that a reload does not send the form again.
      response.redirect(303, isOpen ? `/bank/${token}` : page.returnUrl)
    })
    .use('/bank', answerUnknown(unknownPage))
}

/** Returns `undefined` for input that is not six digits; it does not count as a wrong password. */
function readAction({ action, otp = '' }: { action: PageAction['kind']; otp?: string }): PageAction | undefined {
  if (action !== 'otp') return { kind: action }
  const digits = otp.replace(/\s/gu, '')
  return /^\d{6}$/u.test(digits) ? { kind: 'otp', otp: digits } : undefined
}
