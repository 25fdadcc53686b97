import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import express, { type Request } from 'express'
import type { TransactionView } from '@gateway/contracts'
import { setPageHeaders, type Html } from '@gateway/service-kit/http'
import { NO_OUTAGES } from '../src/domain/outages.ts'
import { inLanguage, isLanguage } from '../src/domain/words.ts'
import { bankPage, messagePage, type MessageKind } from '../src/views/message-page.ts'
import { platformOf, type LayoutContext, type PanelContext } from '../src/views/panel-context.ts'
import { paymentPage } from '../src/views/payment-page.ts'
import { aView } from './transaction-view.ts'

type Draw = (context: PanelContext & LayoutContext) => Html

const payment =
  (fields: Partial<TransactionView> = {}, more: Partial<PanelContext> = {}): Draw =>
  (context) =>
    paymentPage(aView('T1', fields), { ...context, ...more })
const message =
  (kind: MessageKind): Draw =>
  (context) =>
    messagePage(kind, context)
const openAttempt = (method: 'upi' | 'credit_card' | 'netbanking'): Partial<TransactionView> => ({
  status: 'Pending',
  attempts: [
    {
      id: 'A1',
      method,
      status: 'open',
      failure_reason: null,
      failure_code: null,
      rrn: null,
      reference: null,
      started_at: '2026-01-01T00:00:00Z',
      ended_at: null,
    },
  ],
  payable: false,
  attempts_left: 2,
})
const failed = (reason: TransactionView['failure_reason']): Draw => payment({ status: 'Failed', failure_reason: reason })
const declined: TransactionView['attempts'] = [
  {
    id: 'A1',
    method: 'credit_card',
    status: 'failed',
    failure_reason: 'declined',
    failure_code: null,
    rrn: null,
    reference: null,
    started_at: '2026-01-01T00:00:00Z',
    ended_at: '2026-01-01T00:01:00Z',
  },
]

/** Every page of the service, by a name that is also a file name. */
export const GALLERY: Readonly<Record<string, Draw>> = {
  'choose-upi': payment(),
  'choose-card': payment({ methods: ['card', 'netbanking'] }),
  'choose-bank': payment({ methods: ['netbanking'] }),
  'choose-again': payment({ status: 'Pending', attempts: declined, attempts_left: 1 }),
  'choose-out-of-date': payment({}, { notice: 'out_of_date' }),
  'card-errors': payment(
    {},
    {
      form: {
        method: 'card',
        values: { name: 'Asha Rao', expiry: '13/29' },
        errors: [
          { field: 'card_number', code: 'number_invalid' },
          { field: 'card_expiry', code: 'expiry_format' },
          { field: 'card_cvv', code: 'required' },
        ],
      },
    },
  ),
  'bank-errors': payment({}, { form: { method: 'netbanking', values: {}, errors: [{ field: 'bank', code: 'required' }] } }),
  'no-method': payment({ methods: ['upi'], checkout: { url: '', intent: '' } }),
  'method-down': payment({}, { outages: { ...NO_OUTAGES, hiddenMethods: ['upi'], slowMethods: ['card'] } }),
  'bank-down': payment(
    { methods: ['netbanking'] },
    { outages: { ...NO_OUTAGES, hiddenBanks: ['SBIN', 'YESB'], slowBanks: ['HDFC'] }, notice: 'method_down' },
  ),
  'all-down': payment({ methods: ['upi'] }, { outages: { ...NO_OUTAGES, hiddenMethods: ['upi'] } }),
  'waiting-upi': payment({ status: 'Pending', payable: false }),
  'waiting-bank': payment(openAttempt('netbanking'), { canContinueAtBank: true }),
  'waiting-card': payment({ ...openAttempt('credit_card'), attempts_left: 0 }, { notice: 'already_started' }),
  cancelling: payment({ closing: 'cancelled' }),
  ending: payment({ closing: 'expired' }),
  success: payment({ status: 'Success', method: 'upi', rrn: '633012345678' }),
  'success-no-way-back': payment({ status: 'Success', return_url: null }),
  declined: failed('declined'),
  'no-funds': payment({
    status: 'Failed',
    failure_reason: 'declined',
    attempts: declined.map((attempt) => ({ ...attempt, failure_code: 'insufficient_funds' as const })),
  }),
  cancelled: failed('cancelled'),
  expired: failed('expired'),
  'amount-mismatch': failed('amount_mismatch'),
  unconfirmed: failed('unconfirmed'),
  'network-error': failed('network_error'),
  failed: failed(null),
  'to-bank': (context) => bankPage(aView('T1'), 'https://bank.example/pay?ref=1', context),
  'unknown-link': message('link_not_valid'),
  unavailable: message('try_again'),
  'not-ours': message('not_ours'),
  unexpected: message('unexpected'),
}

export interface Gallery {
  readonly url: string
  /** The submitted forms, with their paths. */
  readonly sent: { readonly path: string; readonly form: Readonly<Record<string, string>> }[]
  stop(): Promise<void>
}

/** Serves every page at `/checkout/<name>`, with the service's headers, in the language of `?lang=`. */
export async function startGallery(): Promise<Gallery> {
  const sent: { path: string; form: Record<string, string> }[] = []
  const app = express()
  app.get('/checkout/:name/events', (_request, response) => void response.type('text/event-stream').write('retry: 60000\n\n'))
  app.get('/checkout/:name', (request, response, next) => {
    const draw = GALLERY[request.params.name]
    if (!draw) {
      next()
      return
    }
    const nonce = setPageHeaders(response)
    response.type('html').send(draw({ ...contextOf(request), nonce }).markup)
  })
  app.post('/checkout/:name/:what', express.urlencoded({ extended: false }), (request, response) => {
    sent.push({ path: request.path, form: { ...(request.body as Record<string, string>) } })
    response.redirect(303, '/checkout/waiting-bank')
  })
  const server = await new Promise<Server>((resolve) => {
    const listening = app.listen(0, '127.0.0.1', () => resolve(listening))
  })
  const { port } = server.address() as AddressInfo
  const stop = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  return { url: `http://127.0.0.1:${port}`, sent, stop }
}

function contextOf(request: Request<{ name: string }>): Omit<PanelContext & LayoutContext, 'nonce'> {
  const { lang } = request.query
  return {
    csrf: 'form-token',
    now: new Date(),
    ...inLanguage(isLanguage(lang) ? lang : 'en'),
    environment: 'sandbox',
    platform: platformOf(request.get('user-agent')),
    attemptId: 'A2',
    canContinueAtBank: false,
    outages: NO_OUTAGES,
    path: `/checkout/${request.params.name}`,
  }
}
