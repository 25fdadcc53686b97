/** Ways in which a connector can break the contract about refunds, for the tampering proxy. */
import { API_KEY } from './fixture.ts'
import { insteadOf, isReversal, withFields, write } from './tampers.ts'
import type { ProxiedRequest, ProxiedResponse, Tamper } from './tampering-proxy.ts'

interface Report {
  readonly refund_id: string
  readonly status: string
  readonly amount: string
  readonly rrn?: string
  readonly network_code?: string
}

const isCapabilities = ({ path }: ProxiedRequest) => path === '/network/v1/capabilities'
const isRefund = ({ method, path }: ProxiedRequest) => method === 'POST' && path === '/network/v1/refunds'
const isRefundEnquiry = ({ method, path }: ProxiedRequest) => method === 'GET' && path.startsWith('/network/v1/refunds')

/** Changes the refund in the answer to a request or an enquiry. */
const reportedAs =
  (change: (report: Report, request: ProxiedRequest) => Report): Tamper =>
  async (request, pass) => {
    const answer = await pass(request)
    if (answer.status !== 200 || !(isRefund(request) || isRefundEnquiry(request))) return answer
    const body = JSON.parse(answer.body) as Report & { readonly refunds?: Report[] }
    const changed = body.refunds ? { ...body, refunds: body.refunds.map((one) => change(one, request)) } : change(body, request)
    return write(200, changed)
  }

/** Treats a repeated request as a new refund. */
function forgetful(): Tamper {
  const seen = new Set<string>()
  return async (request, pass) => {
    const { refund_id: id } = isRefund(request) ? (JSON.parse(request.body) as Report) : { refund_id: '' }
    if (!isRefund(request) || request.headers['idempotency-key'] !== id || !seen.has(request.body)) {
      seen.add(request.body)
      return pass(request)
    }
    const other = `${id.slice(0, -2)}9${seen.size % 10}`
    const renamed = { ...withFields(request, { refund_id: other }), headers: { ...request.headers, 'idempotency-key': other } }
    const answer = await pass(renamed)
    return { ...answer, body: answer.body.replaceAll(other, id) }
  }
}

const emptyIs404 = async (request: ProxiedRequest, pass: (request: ProxiedRequest) => Promise<ProxiedResponse>) => {
  const answer = await pass(request)
  return isRefundEnquiry(request) && answer.body.includes('"refunds":[]') ? write(404, { code: 'refund_not_found' }) : answer
}

const made = { refund_id: 'T1R01', status: 'succeeded', amount: '499.00', rrn: '123456789012' }

/** What the connector does, where the proxy stands, how it tampers, and the checks that must fail. */
export const REFUND_TAMPERS: readonly (readonly [what: string, where: 'calls' | 'callbacks', how: Tamper, failing: string[]])[] =
  [
    [
      'has capabilities of another form',
      'calls',
      insteadOf(200, isCapabilities, { contract: 'two' }, 200),
      ['capabilities: 200 in the form of the contract, and 401 without the API key'],
    ],
    [
      'refunds again for the same key',
      'calls',
      forgetful(),
      ['refund: repeated and concurrent requests with one key refund once'],
    ],
    [
      'refunds more than the capture',
      'calls',
      reportedAs((report) =>
        report.network_code === 'EXCEEDS_CAPTURE' ? { ...made, refund_id: report.refund_id, amount: report.amount } : report,
      ),
      [
        'refund: never more than the capture, and a failed refund stays failed',
        'refund in parts: several parts together are never more than the capture',
      ],
    ],
    [
      'accepts another refund under the same key',
      'calls',
      insteadOf(409, isRefund, made, 200),
      ['refund: the same key with another body is 409', 'refund: the same key for another payment is 409'],
    ],
    [
      'refunds unknown references',
      'calls',
      insteadOf(404, isRefund, made, 200),
      ['refund: a reference of another tr is 404', 'refund: an unknown reference is 404'],
    ],
    [
      'refunds without an API key',
      'calls',
      (request, pass) =>
        pass(
          isRefund(request) || isRefundEnquiry(request)
            ? { ...request, headers: { ...request.headers, authorization: `Bearer ${API_KEY}` } }
            : request,
        ),
      ['refund: every call without the API key is 401 and refunds nothing'],
    ],
    ['accepts invalid refunds', 'calls', insteadOf(422, isRefund, made, 200), ['refund: an invalid request is 422']],
    [
      'reverses what was refunded',
      'calls',
      async (request, pass) => {
        const answer = await pass(request)
        return isReversal(request) ? { ...answer, body: answer.body.replace('"failed"', '"succeeded"') } : answer
      },
      ['refund: what was refunded cannot be reversed'],
    ],
    [
      'answers 404 for an unknown refund',
      'calls',
      emptyIs404,
      [
        'refund enquiry: an unknown refund is an empty list, an invalid query is 422',
        'refund: every call without the API key is 401 and refunds nothing',
      ],
    ],
    [
      'omits the rrn of refunds',
      'calls',
      reportedAs(({ rrn: _rrn, ...report }) => report),
      ['refund: succeeds with an rrn, an enquiry agrees, and its callback is signed'],
    ],
    [
      'refuses parts',
      'calls',
      reportedAs((report) => (report.amount === '499.00' ? report : { ...report, status: 'failed' })),
      ['refund in parts: several parts together are never more than the capture'],
    ],
    [
      'reports no refunds',
      'callbacks',
      (request, pass) => (request.path.endsWith('/refunds') ? Promise.resolve(write(200, {})) : pass(request)),
      [
        'refund: succeeds with an rrn, an enquiry agrees, and its callback is signed',
        'refund: an unacknowledged callback is sent again with the same webhook-id',
      ],
    ],
  ]
