import {
  CAPABILITIES_PATH,
  formatPaise,
  NETWORK_PATHS,
  NETWORK_REFUNDS_PATH,
  parseAmount,
  type NetworkReport,
} from '@gateway/contracts'
import type { Handler, HttpAnswer, HttpRequest } from '../kernel/network.ts'
import type { SimulatedProcess } from '../kernel/process.ts'

/** A payment as it really is. */
export interface TruePayment {
  readonly report: NetworkReport
  readonly capturedAtMs: number | undefined
  /** Idempotency keys under which money went back, as a reversal. */
  readonly reversedBy: Set<string>
  /** The paise of each refund, by idempotency key. */
  readonly refunds: Map<string, number>
}

/** Answers the gateway's calls by what is true: enquiries, reversals and refunds, each of which is done once for its key. */
export function answerAs({ kernel, name }: SimulatedProcess, payments: ReadonlyMap<string, TruePayment>): Handler {
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
