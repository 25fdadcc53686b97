import type { NetworkRefundRequest, RefundReport } from '@gateway/contracts'
import type { JsonReply } from '@gateway/testkit'
import type { Fixture } from './fixture.ts'

/** A network that keeps a ledger of refunds: a repeated key pays once. */
export interface RefundNetwork {
  /** Every refund that was paid, by its id, in the connector's own words. */
  readonly paid: Map<string, NetworkRefundRequest>
  /** Requests and enquiries so far, by refund id. */
  readonly asked: Map<string, string[]>
  /** How the next request of a refund is answered, after the network has acted; by default `succeeded`. */
  answer: (request: NetworkRefundRequest, asked: number) => Partial<RefundReport> | JsonReply
}

/** Makes the fixture's network one that refunds. */
export function startRefundNetwork(fixture: Fixture, capabilities: object): RefundNetwork {
  const network: RefundNetwork = { paid: new Map(), asked: new Map(), answer: () => ({}) }
  const note = (id: string, what: string): number => {
    const list = [...(network.asked.get(id) ?? []), what]
    network.asked.set(id, list)
    return list.length
  }
  const reply = (request: NetworkRefundRequest, asked: number): JsonReply => {
    const answer = network.answer(request, asked)
    if (isReply(answer)) return answer
    const report = { refund_id: request.refund_id, status: 'succeeded', amount: request.amount, rrn: '998877665544', ...answer }
    if (report.status === 'succeeded' && !network.paid.has(request.refund_id)) network.paid.set(request.refund_id, request)
    return { status: 200, body: report }
  }
  const known = new Map<string, NetworkRefundRequest>()
  fixture.network.answer(({ method, path, query, body, headers }) => {
    if (path === '/network/v1/capabilities') return { status: 200, body: capabilities }
    if (path !== '/network/v1/refunds') return { status: 200, body: { tr: query.get('tr'), payments: [] } }
    if (method === 'GET') {
      const id = query.get('refund_id') ?? ''
      const request = known.get(id)
      const asked = note(id, 'enquire')
      if (!request) return { status: 200, body: { refund_id: id, refunds: [] } }
      const answered = reply(request, asked)
      return typeof answered === 'object' && 'body' in answered && answered.status === 200
        ? { status: 200, body: { refund_id: id, refunds: [answered.body] } }
        : answered
    }
    const request = body as NetworkRefundRequest
    if (headers['idempotency-key'] !== request.refund_id) return { status: 422 }
    known.set(request.refund_id, request)
    return reply(request, note(request.refund_id, 'request'))
  })
  return network
}

function isReply(answer: Partial<RefundReport> | JsonReply): answer is JsonReply {
  return typeof answer === 'string' || typeof answer.status === 'number'
}
