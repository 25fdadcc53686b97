/** Steps that several checks share: start, enquire, wait. */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  buildUpiIntent,
  enquiryResponse,
  intentResponse,
  newTransactionId,
  startPaymentResponse,
  type EnquiryResponse,
  type IntentRequest,
  type IntentResponse,
  type NetworkReport,
  type StartPayment,
  type StartPaymentResponse,
} from '@gateway/contracts'
import type { Callback } from './callback-receiver.ts'
import { CHECKED_METHODS, demand, demandBody, type Bench, type CheckedMethod } from './check.ts'
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
    tr: newTransactionId(new Date(), 0),
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
  return demandBody(answer, [200, 201], intentResponse, 'an intent')
}

/** The link of a payment: the connector's, or one that is built here. */
async function linkOf({ connector, upi }: Bench, request: StartPayment): Promise<string> {
  const order = anIntent(request)
  const { name: payeeName, vpa: payeeVpa, mcc } = MERCHANT
  const { tr: transactionId, amount, note } = order
  return upi.intents
    ? readIntent(await connector.mintIntent(order, order.tr)).intent
    : buildUpiIntent({ payeeVpa, payeeName, mcc, transactionId, amount, note })
}

async function payLink(bench: Bench, intent: string, vpa: string): Promise<void> {
  const answer = await eventually(bench, 'the payer hook answers 429', async () => {
    // The gateway knows no such order, so a simulator has to pay it by force.
    const given = await bench.connector.payIntent({ intent, vpa, force: true })
    return given.status === 429 ? undefined : given
  })
  demand(answer.status >= 200 && answer.status < 300, `the payer hook answered ${inWords(answer)}`)
}

/** Pays a link through the sandbox's payer hook, and finds the payment by an enquiry. */
async function payByLink(bench: Bench, request: StartPayment): Promise<Started> {
  const transactionId = request.tr
  await payLink(bench, await linkOf(bench, request), bench.instruments.upi.upi?.vpa ?? '')
  const { reference, outcome: status } = await eventually(bench, 'an enquiry does not list the payment by link', async () =>
    (await paymentsOf(bench, transactionId)).find(({ method }) => method === 'upi'),
  )
  return { request, attemptId: undefined, response: { reference, status, redirect_url: null, reason: null } }
}

/** How many payments run at the same time. */
const AT_ONCE = 20

/** The `tr` of a transaction whose UPI payments were declined `declines` times before one succeeded. */
export async function paidAfterDeclines(bench: Bench, declines: number): Promise<string> {
  const { declined, upi } = bench.instruments
  const request = aStart(bench, 'upi')
  const link = bench.upi.collect ? undefined : await linkOf(bench, request)
  const pay = (instrument: Pick<StartPayment, 'upi'>): Promise<unknown> =>
    link === undefined
      ? startOne(bench, 'upi', { tr: request.tr, ...instrument })
      : payLink(bench, link, instrument.upi?.vpa ?? '')
  for (let left = declines; left > 0; left -= AT_ONCE)
    await Promise.all(Array.from({ length: Math.min(left, AT_ONCE) }, () => pay(declined)))
  await pay(upi)
  return request.tr
}

export function readStarted(answer: Answer): StartPaymentResponse {
  return demandBody(answer, [201], startPaymentResponse, 'a start')
}

export async function paymentsOf(bench: Bench, tr: string): Promise<readonly NetworkReport[]> {
  return (await enquire(bench, tr)).payments
}

export async function enquire({ connector }: Bench, tr: string): Promise<EnquiryResponse> {
  const body = demandBody(await connector.enquire({ tr }), [200], enquiryResponse, 'an enquiry')
  demand(body.tr === tr && body.payments.every((payment) => payment.tr === tr), 'an enquiry was answered for another tr')
  return body
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

/** Waits until a callback that fits was sent again with the `webhook-id` of the first one. */
export async function sentAgain(bench: Bench, fits: (callback: Callback) => boolean): Promise<void> {
  await eventually(bench, 'it was not sent again with its webhook-id', () => {
    const [first, ...others] = bench.callbacks.received.filter(fits)
    return others.find(({ messageId }) => messageId === first?.messageId)
  })
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
