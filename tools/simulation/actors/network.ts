import {
  CAPABILITIES_PATH,
  formatPaise,
  NETWORK_PATHS,
  NETWORK_REFUNDS_PATH,
  parseAmount,
  type NetworkReport,
} from '@gateway/contracts'
import type { HttpAnswer, HttpRequest, Network } from '../kernel/network.ts'
import type { SimulatedProcess } from '../kernel/process.ts'
import { sendCallback } from './callbacks.ts'

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
export interface PaymentNetwork {
  readonly payments: readonly TruePayment[]
  /** Records a payment, or what has become of it. */
  record(report: NetworkReport): void
  /** Sends a signed callback until the gateway has acknowledged it. */
  report(report: NetworkReport): Promise<void>
  /** Callbacks that were acknowledged. */
  readonly acknowledged: readonly { readonly report: NetworkReport; readonly atMs: number }[]
  /** Told of each acknowledgement at its moment. */
  onAcknowledged: (report: NetworkReport) => void
}

export function createPaymentNetwork(process: SimulatedProcess, network: Network): PaymentNetwork {
  const payments = new Map<string, TruePayment>()
  const acknowledged: { report: NetworkReport; atMs: number }[] = []
  const { kernel } = process
  const answer = (status: number, body: object): HttpAnswer => ({ status, body: JSON.stringify(body) })

  function enquire(path: string): HttpAnswer {
    const tr = new URL(path, 'http://network').searchParams.get('tr') ?? ''
    const found = [...payments.values()].filter(({ report }) => report.tr === tr).map(({ report }) => report)
    kernel.trace(process.name, `knows of ${tr}: ${found.map(({ outcome }) => outcome).join(', ') || 'nothing'}`)
    return answer(200, { tr, payments: found })
  }

  function reverse({ body, headers }: HttpRequest): HttpAnswer {
    const { reference } = JSON.parse(body) as { reference: string }
    const payment = payments.get(reference)
    if (payment?.capturedAtMs === undefined) return answer(404, { code: 'unknown' })
    const key = headers['idempotency-key'] ?? ''
    if (!payment.reversedBy.has(key)) kernel.trace(process.name, `reverses ${reference} under ${key}`)
    payment.reversedBy.add(key)
    return answer(200, { reference, status: 'succeeded', reason: null })
  }

  function refund({ body, headers }: HttpRequest): HttpAnswer {
    const { refund_id, reference, amount } = JSON.parse(body) as Record<'refund_id' | 'reference' | 'amount', string>
    const payment = payments.get(reference)
    if (payment?.capturedAtMs === undefined) return answer(404, { code: 'unknown' })
    const key = headers['idempotency-key'] ?? ''
    if (!payment.refunds.has(key)) kernel.trace(process.name, `refunds ${amount} of ${reference} under ${key}`)
    payment.refunds.set(key, parseAmount(amount) ?? 0)
    return answer(200, { refund_id, status: 'succeeded', amount })
  }

  function findRefund(path: string): HttpAnswer {
    const id = new URL(path, 'http://network').searchParams.get('refund_id') ?? ''
    const paise = [...payments.values()].map(({ refunds }) => refunds.get(id)).find((known) => known !== undefined)
    const refunds = paise === undefined ? [] : [{ refund_id: id, status: 'succeeded', amount: formatPaise(paise) }]
    return answer(200, { refund_id: id, refunds })
  }

  network.listen('network', 8080, process, async (request) => {
    const route = `${request.method} ${request.path.replace(/\?.*$/u, '')}`
    switch (route) {
      case `GET ${NETWORK_PATHS.payments}`:
        return enquire(request.path)
      case `POST ${NETWORK_PATHS.reversals}`:
        return reverse(request)
      case `POST ${NETWORK_REFUNDS_PATH}`:
        return refund(request)
      case `GET ${NETWORK_REFUNDS_PATH}`:
        return findRefund(request.path)
      case `GET ${CAPABILITIES_PATH}`:
        return answer(200, { contract: 2, refunds: { partial: true, window_days: 180 } })
      default:
        return answer(404, { code: 'not_found' })
    }
  })

  const self: PaymentNetwork = {
    get payments() {
      return [...payments.values()]
    },
    acknowledged,
    onAcknowledged: () => undefined,
    record(report) {
      const before = payments.get(report.reference)
      const capturedAtMs = before?.capturedAtMs ?? (report.outcome === 'success' ? kernel.nowMs : undefined)
      const { reversedBy = new Set<string>(), refunds = new Map<string, number>() } = before ?? {}
      payments.set(report.reference, { report, capturedAtMs, reversedBy, refunds })
      kernel.trace(process.name, `${report.reference} of ${report.tr} is ${report.outcome} with ${report.amount}`)
    },
    async report(report) {
      if (!(await process.run(() => sendCallback(network, report)))) return
      acknowledged.push({ report, atMs: kernel.nowMs })
      self.onAcknowledged(report)
    },
  }
  return self
}
