/** Steps that several checks share: start, enquire, wait. */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  buildUpiIntent,
  enquiryResponse,
  intentResponse,
  newTransactionId,
  startPaymentResponse,
  type IntentRequest,
  type IntentResponse,
  type NetworkReport,
  type StartPayment,
  type StartPaymentResponse,
} from '@gateway/contracts'
import type { Callback } from './callback-receiver.ts'
import { CHECKED_METHODS, demand, type Bench, type CheckedMethod } from './check.ts'
import { inWords, type Answer } from './connector.ts'

export interface Started {
  readonly request: StartPayment
  /** `undefined` for a payment that began with its link. */
  readonly attemptId: string | undefined
  readonly response: StartPaymentResponse
}

const POLL_MS = 50

/** A valid start request of 499 rupees, not sent yet. */
export function aStart({ instruments }: Bench, method: CheckedMethod, fields: Partial<StartPayment> = {}): StartPayment {
  return {
    attempt_id: randomUUID(),
    tr: newTransactionId(new Date()),
    method,
    amount: '499.00',
    currency: 'INR',
    description: 'Contract check',
    return_url: 'https://merchant.example/back',
    ...instruments[method],
    ...fields,
  }
}

export async function startOne(bench: Bench, method: CheckedMethod, fields?: Partial<StartPayment>): Promise<Started> {
  const request = aStart(bench, method, fields)
  if (method === 'upi' && !bench.upi.collect) return payByLink(bench, request)
  return {
    request,
    attemptId: request.attempt_id,
    response: readStarted(await bench.connector.start(request, request.attempt_id)),
  }
}

/** The methods whose payments begin with a start. */
export function startable({ upi }: Pick<Bench, 'upi'>): readonly CheckedMethod[] {
  return CHECKED_METHODS.filter((method) => method !== 'upi' || upi.collect)
}

const MERCHANT = { id: 'CONTRACT', name: 'Contract Check', vpa: 'contract.check@sandbox', mcc: '5411' }

/** A request for a link of 499 rupees, not sent yet. */
export function anIntent({ tr, amount, description }: Pick<StartPayment, 'tr' | 'amount' | 'description'>): IntentRequest {
  return { tr, amount, note: description, merchant: MERCHANT, expires_at: new Date(Date.now() + 1_200_000).toISOString() }
}

export function readIntent(answer: Answer): IntentResponse {
  const { status, body } = answer
  demand((status === 200 || status === 201) && intentResponse(body), `an intent was answered ${inWords(answer)}`)
  return body
}

/** Pays a link through the sandbox's payer hook, and finds the payment by an enquiry. */
async function payByLink(bench: Bench, request: StartPayment): Promise<Started> {
  const { connector, instruments, upi } = bench
  const order = anIntent(request)
  const { name: payeeName, vpa: payeeVpa, mcc } = MERCHANT
  const { tr: transactionId, amount, note } = order
  const intent = upi.intents
    ? readIntent(await connector.mintIntent(order, order.tr)).intent
    : buildUpiIntent({ payeeVpa, payeeName, mcc, transactionId, amount, note })
  const vpa = instruments.upi.upi?.vpa
  // The gateway knows no such order, so a simulator has to pay it by force.
  const answer = await connector.payIntent({ intent, vpa, force: true })
  demand(answer.status >= 200 && answer.status < 300, `the payer hook answered ${inWords(answer)}`)
  const { reference, outcome: status } = await eventually(bench, 'an enquiry does not list the payment by link', async () =>
    (await paymentsOf(bench, transactionId)).find(({ method }) => method === 'upi'),
  )
  return { request, attemptId: undefined, response: { reference, status, redirect_url: null, reason: null } }
}

export function readStarted(answer: Answer): StartPaymentResponse {
  const { status, body } = answer
  demand(status === 201 && startPaymentResponse(body), `a start was answered ${inWords(answer)}`)
  return body
}

export async function paymentsOf({ connector }: Bench, tr: string): Promise<readonly NetworkReport[]> {
  const answer = await connector.enquire({ tr })
  const { status, body } = answer
  demand(status === 200 && enquiryResponse(body), `an enquiry was answered ${inWords(answer)}`)
  demand(body.tr === tr && body.payments.every((payment) => payment.tr === tr), 'an enquiry was answered for another tr')
  return body.payments
}

/** A payment that has succeeded, as an enquiry reports it. */
export async function capture(
  bench: Bench,
  method: CheckedMethod,
  fields?: Partial<StartPayment>,
): Promise<Started & { readonly report: NetworkReport }> {
  const started = await startOne(bench, method, fields)
  const report = await eventually(bench, 'the payment has not succeeded', async () => {
    const payments = await paymentsOf(bench, started.request.tr)
    return payments.find(({ reference, outcome }) => reference === started.response.reference && outcome === 'success')
  })
  return { ...started, report }
}

/** The first callback about this payment that fits. */
export function callbackAbout(
  bench: Bench,
  { response }: Started,
  fits: (callback: Callback) => boolean = () => true,
): Promise<Callback> {
  return eventually(bench, 'no such callback has arrived', () =>
    bench.callbacks.received.find((callback) => callback.report?.reference === response.reference && fits(callback)),
  )
}

/** Polls until `look` finds something. Rejects with `otherwise` after `patienceMs`, and at once when `look` throws. */
export async function eventually<T>(
  { patienceMs }: Bench,
  otherwise: string,
  look: () => T | undefined | Promise<T | undefined>,
): Promise<T> {
  const endsAt = performance.now() + patienceMs
  for (;;) {
    const found = await look()
    if (found !== undefined) return found
    demand(performance.now() < endsAt, `${otherwise} within ${patienceMs} ms`)
    await sleep(POLL_MS)
  }
}
