/** Ways in which a connector can break the contract, for the tampering proxy. */
import { sign, type SigningKey } from '@gateway/contracts'
import type { ProxiedRequest, ProxiedResponse, Tamper } from './tampering-proxy.ts'

type Fields = Record<string, unknown>
const read = (body: string) => JSON.parse(body) as Fields
export const write = (status: number, body: object): ProxiedResponse => ({ status, body: JSON.stringify(body) })
export const isStart = ({ method, path }: ProxiedRequest) => method === 'POST' && path === '/network/v1/payments'
export const isEnquiry = ({ method, path }: ProxiedRequest) => method === 'GET' && path.startsWith('/network/v1/payments')
export const isReversal = ({ path }: ProxiedRequest) => path === '/network/v1/reversals'
const withKey = (request: ProxiedRequest, idempotencyKey: string, fields: Fields): ProxiedRequest => ({
  ...request,
  headers: { ...request.headers, 'idempotency-key': idempotencyKey },
  body: JSON.stringify({ ...read(request.body), ...fields }),
})
export const withFields = (request: ProxiedRequest, fields: Fields): ProxiedRequest => ({
  ...request,
  body: JSON.stringify({ ...read(request.body), ...fields }),
})

/** Changes the payments in the answer to an enquiry. */
export const enquiring =
  (change: (payments: Fields[]) => Fields[]): Tamper =>
  async (request, pass) => {
    const answer = await pass(request)
    if (!isEnquiry(request) || answer.status !== 200) return answer
    const body = read(answer.body)
    return write(200, { ...body, payments: change(body['payments'] as Fields[]) })
  }

/** Answers `otherStatus` and `answer` where the simulator answers `status`. */
export const insteadOf =
  (status: number, which: (request: ProxiedRequest) => boolean, answer: object, otherStatus: number): Tamper =>
  async (request, pass) => {
    const passed = await pass(request)
    return which(request) && passed.status === status ? write(otherStatus, answer) : passed
  }

/** Treats every repetition of a start as a new attempt. */
export function forgetful(): Tamper {
  const seen = new Map<string, number>()
  return (request, pass) => {
    if (!isStart(request)) return pass(request)
    const times = (seen.get(request.body) ?? 0) + 1
    seen.set(request.body, times)
    // A start without its attempt's key is refused as usual.
    if (read(request.body)['attempt_id'] !== request.headers['idempotency-key']) return pass(request)
    const key = request.headers['idempotency-key'] ?? ''
    return pass(times === 1 ? request : withKey(request, `${key}-${times}`, { attempt_id: `${key}-${times}` }))
  }
}

/** Answers a repeated reversal with `failed`. */
export function failsTheSecondTime(): Tamper {
  const seen = new Set<string>()
  return async (request, pass) => {
    const answer = await pass(request)
    if (!isReversal(request) || answer.status !== 200) return answer
    const { reference } = read(answer.body)
    if (!seen.has(request.body)) {
      seen.add(request.body)
      return answer
    }
    return write(200, { reference, status: 'failed', reason: 'reversed already' })
  }
}

/** Changes a report and signs it again. */
export const reporting =
  (change: Fields, key: SigningKey): Tamper =>
  (request, pass) => {
    const { body } = withFields(request, change)
    const timestamp = Number(request.headers['webhook-timestamp'])
    const signature = sign(request.headers['webhook-id'] ?? '', timestamp, body, [key])
    return pass({ ...request, body, headers: { ...request.headers, 'webhook-signature': signature } })
  }

/** An accepted start. */
export const started = { reference: 'R1', status: 'pending', redirect_url: null, reason: null }
/** A completed reversal. */
export const reversed = { reference: 'R1', status: 'succeeded', reason: null }
