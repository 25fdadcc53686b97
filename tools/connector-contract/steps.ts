/** Steps that several checks share: start, enquire, wait. */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  enquiryResponse,
  newTransactionId,
  startPaymentResponse,
  type NetworkReport,
  type StartPayment,
  type StartPaymentResponse,
} from '@gateway/contracts'
import type { Callback } from './callback-receiver.ts'
import { demand, type Bench, type CheckedMethod } from './check.ts'
import { inWords, type Answer } from './connector.ts'

export interface Started {
  readonly request: StartPayment
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
  return { request, response: readStarted(await bench.connector.start(request, request.attempt_id)) }
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
export async function capture(bench: Bench, method: CheckedMethod): Promise<Started & { readonly report: NetworkReport }> {
  const started = await startOne(bench, method)
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
