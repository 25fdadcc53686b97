import type { AttemptView, PaymentMethod, TransactionView } from '@gateway/contracts'
import type { JsonReply, JsonRequest } from '@gateway/testkit'

export const SERVICE_TOKEN = 'service-token-of-thirty-two-characters'

export type Views = Map<string, TransactionView>

/** Answers as payment-status does (contracts, internal.ts), including its rules for attempts. */
export function paymentStatusAnswer({ method, path, headers, body }: JsonRequest, views: Views): JsonReply {
  if (headers['authorization'] !== `Bearer ${SERVICE_TOKEN}`) return { status: 401 }
  const [id = '', action, attemptId = ''] = path.replace('/internal/v1/transactions/', '').split('/')
  const view = views.get(id)
  if (!view) return { status: 404, body: { code: 'transaction_not_found' } }
  if (method === 'GET' && action === undefined) return { status: 200, body: view }
  if (method === 'POST' && action === 'cancel')
    return change(views, view, { closing: 'cancelled', payable: false, checkout: null })
  if (method === 'POST' && action === 'attempts') {
    return attemptId === '' ? start(views, view, body) : abandon(views, view, attemptId)
  }
  return { status: 404 }
}

/** View fields for these attempts, including the fields that follow from them. */
export function withAttempts(view: TransactionView, attempts: readonly AttemptView[]): Partial<TransactionView> {
  const maxAttempts = view.attempts.length + view.attempts_left
  const left = Math.max(maxAttempts - attempts.length, 0)
  const isOpen = attempts.some(({ status }) => status === 'open')
  return { status: 'Pending', attempts, attempts_left: left, payable: !isOpen && left > 0 && view.closing === null }
}

export function anAttempt(id: string, method: PaymentMethod, fields: Partial<AttemptView> = {}): AttemptView {
  const started = new Date().toISOString()
  return {
    id,
    method,
    status: 'open',
    failure_reason: null,
    failure_code: null,
    rrn: null,
    reference: null,
    started_at: started,
    ended_at: null,
    ...fields,
  }
}

function start(views: Views, view: TransactionView, body: unknown): JsonReply {
  const { attempt_id: id, method } = body as { attempt_id: string; method: PaymentMethod }
  if (view.attempts.some((attempt) => attempt.id === id)) return { status: 201, body: view }
  if (view.status === 'Success' || view.status === 'Failed' || view.closing !== null) {
    return { status: 409, body: { code: 'order_not_payable' } }
  }
  if (!view.payable) return { status: 409, body: { code: 'attempt_not_allowed' } }
  return { ...change(views, view, withAttempts(view, [...view.attempts, anAttempt(id, method)])), status: 201 }
}

function abandon(views: Views, view: TransactionView, id: string): JsonReply {
  if (!view.attempts.some((attempt) => attempt.id === id)) return { status: 404, body: { code: 'attempt_not_found' } }
  const attempts = view.attempts.map((attempt): AttemptView =>
    attempt.id === id && attempt.status === 'open' ? { ...attempt, status: 'abandoned' } : attempt,
  )
  return change(views, view, withAttempts(view, attempts))
}

function change(
  views: Views,
  view: TransactionView,
  fields: Partial<TransactionView>,
): { status: number; body: TransactionView } {
  const changed = { ...view, ...fields, version: view.version + 1 }
  views.set(view.id, changed)
  return { status: 200, body: changed }
}
