import { setTimeout as sleep } from 'node:timers/promises'
import {
  CAPABILITIES_PATH,
  formatPaise,
  NETWORK_PATHS,
  NETWORK_REFUNDS_PATH,
  parseAmount,
  readSigningSecret,
  sign,
  SIGNATURE_HEADERS,
  type NetworkReport,
} from '@gateway/contracts'
import type { Handler, HttpAnswer, HttpRequest, Network } from '../kernel/network.ts'
import type { SimulatedProcess } from '../kernel/process.ts'
import { call } from './call.ts'
import { CALLBACK_SECRET } from './configs.ts'

/** A payment as it really is. */
export interface TruePayment {
  readonly report: NetworkReport
  readonly capturedAtMs: number | undefined
  /** Idempotency keys under which money went back, as a reversal. */
  readonly reversedBy: Set<string>
  /** The paise of each refund, by idempotency key. */
  readonly refunds: Map<string, number>
}

/** The payment network: it keeps the ground truth, answers enquiries with it, and reports in callbacks. */
export type PaymentNetwork = ReturnType<typeof createPaymentNetwork>

export function createPaymentNetwork(process: SimulatedProcess, network: Network) {
  const payments = new Map<string, TruePayment>()
  const { kernel } = process
  network.listen('network', 8080, process, answerAs(process, payments))

  return {
    get payments(): readonly TruePayment[] {
      return [...payments.values()]
    },
    /** Records a payment, or what has become of it. */
    record(report: NetworkReport): void {
      const before = payments.get(report.reference)
      const capturedAtMs = before?.capturedAtMs ?? (report.outcome === 'success' ? kernel.nowMs : undefined)
      const { reversedBy = new Set<string>(), refunds = new Map<string, number>() } = before ?? {}
      payments.set(report.reference, { report, capturedAtMs, reversedBy, refunds })
      kernel.trace(process.name, `${report.reference} of ${report.tr} is ${report.outcome} with ${report.amount}`)
    },
    /** Sends a signed callback until the gateway has acknowledged it. */
    report: (report: NetworkReport): Promise<void> => process.run(() => sendCallback(network, report)),
  }
}

/** Answers the gateway's calls by what is true: enquiries, reversals and refunds, each of which is done once for its key. */
function answerAs({ kernel, name }: SimulatedProcess, payments: ReadonlyMap<string, TruePayment>): Handler {
  const answer = (status: number, body: object): HttpAnswer => ({ status, body: JSON.stringify(body) })

  function enquire(path: string): HttpAnswer {
    const tr = new URL(path, 'http://network').searchParams.get('tr') ?? ''
    const found = [...payments.values()].filter(({ report }) => report.tr === tr).map(({ report }) => report)
    kernel.trace(name, `knows of ${tr}: ${found.map(({ outcome }) => outcome).join(', ') || 'nothing'}`)
    return answer(200, { tr, payments: found })
  }

  function reverse({ body, headers }: HttpRequest): HttpAnswer {
    const { reference } = JSON.parse(body) as { reference: string }
    const payment = payments.get(reference)
    if (payment?.capturedAtMs === undefined) return answer(404, { code: 'unknown' })
    const key = headers['idempotency-key'] ?? ''
    if (!payment.reversedBy.has(key)) kernel.trace(name, `reverses ${reference} under ${key}`)
    payment.reversedBy.add(key)
    return answer(200, { reference, status: 'succeeded', reason: null })
  }

  function refund({ body, headers }: HttpRequest): HttpAnswer {
    const { refund_id, reference, amount } = JSON.parse(body) as Record<'refund_id' | 'reference' | 'amount', string>
    const payment = payments.get(reference)
    if (payment?.capturedAtMs === undefined) return answer(404, { code: 'unknown' })
    const key = headers['idempotency-key'] ?? ''
    if (!payment.refunds.has(key)) kernel.trace(name, `refunds ${amount} of ${reference} under ${key}`)
    payment.refunds.set(key, parseAmount(amount) ?? 0)
    return answer(200, { refund_id, status: 'succeeded', amount })
  }

  function findRefund(path: string): HttpAnswer {
    const id = new URL(path, 'http://network').searchParams.get('refund_id') ?? ''
    const paise = [...payments.values()].map(({ refunds }) => refunds.get(id)).find((known) => known !== undefined)
    const refunds = paise === undefined ? [] : [{ refund_id: id, status: 'succeeded', amount: formatPaise(paise) }]
    return answer(200, { refund_id: id, refunds })
  }

  return (request) => {
    const route = `${request.method} ${request.path.replace(/\?.*$/u, '')}`
    const answers: Readonly<Record<string, () => HttpAnswer>> = {
      [`GET ${NETWORK_PATHS.payments}`]: () => enquire(request.path),
      [`POST ${NETWORK_PATHS.reversals}`]: () => reverse(request),
      [`POST ${NETWORK_REFUNDS_PATH}`]: () => refund(request),
      [`GET ${NETWORK_REFUNDS_PATH}`]: () => findRefund(request.path),
      [`GET ${CAPABILITIES_PATH}`]: () => answer(200, { contract: 1, refunds: { partial: true, window_days: 180 } }),
    }
    return Promise.resolve(answers[route]?.() ?? answer(404, { code: 'not_found' }))
  }
}

const KEY = readSigningSecret(CALLBACK_SECRET)
const TRIES = 30
const PAUSE_MS = 2000

/** Sends a callback, signed, again and again until it is acknowledged, at most 30 times. */
async function sendCallback(network: Network, report: NetworkReport): Promise<void> {
  const body = JSON.stringify(report)
  for (let tries = 0; tries < TRIES; tries++) {
    const [id, timestamp] = [`cb-${report.reference}-${report.outcome}`, Math.floor(Date.now() / 1000)]
    const headers = {
      [SIGNATURE_HEADERS.id]: id,
      [SIGNATURE_HEADERS.timestamp]: String(timestamp),
      [SIGNATURE_HEADERS.signature]: sign(id, timestamp, body, [KEY]),
    }
    const path = '/network/v1/callbacks'
    const answer = await call(network, { method: 'POST', host: 'payment-status', port: 8103, path, headers, body })
    if (answer?.status === 200) return
    await sleep(PAUSE_MS)
  }
}
