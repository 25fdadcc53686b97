/** Ways in which a connector can break the rules of enquiries, intents, UPI by VPA and downtimes, for the tampering proxy. */
import { insteadOf, isEnquiry, isStart, started, write } from './tampers.ts'
import type { ProxiedRequest, Tamper } from './tampering-proxy.ts'

const isIntent = ({ path }: ProxiedRequest) => path === '/network/v1/intents'
const isDowntimes = ({ path }: ProxiedRequest) => path === '/network/v1/downtimes'
const minted = { intent: 'upi://pay?pa=a@b&am=499.00&cu=INR', signed: true }

/** Changes the fields of a successful answer. */
const answering =
  (which: (request: ProxiedRequest) => boolean, change: (body: Record<string, unknown>) => object): Tamper =>
  async (request, pass) => {
    const answer = await pass(request)
    if (!which(request) || answer.status !== 200) return answer
    return write(200, change(JSON.parse(answer.body) as Record<string, unknown>))
  }

let links = 0
const LINK = 'intent: the link asks for the amount in INR, and a repeat with its tr gets the same bytes'
const CUT = 'enquiry: a capture is listed before declines, and a list that is cut says so'
const INVALID_INTENT = 'intent: an invalid request is 422, and 401 without the API key'

/** What the connector does, how the proxy tampers, which checks are run, and which of them must fail. They run without `upi_collect`. */
export const OPTION_TAMPERS: readonly (readonly [what: string, how: Tamper, part: string, failing: string[]])[] = [
  [
    'does not say when the network was asked',
    answering(isEnquiry, ({ as_of: _, ...body }) => body),
    'enquiry: the answer',
    ['enquiry: the answer says as_of when the network was asked'],
  ],
  [
    'lists captures behind declines',
    answering(isEnquiry, (body) => ({ ...body, payments: (body['payments'] as object[]).toReversed() })),
    'enquiry: a capture',
    [CUT],
  ],
  ['cuts a list without saying so', answering(isEnquiry, (body) => ({ ...body, more: false })), 'enquiry: a capture', [CUT]],
  [
    'gives one reference to several payments',
    answering(isEnquiry, (body) => ({
      ...body,
      payments: (body['payments'] as object[]).map((payment) => ({ ...payment, reference: 'R1' })),
    })),
    'enquiry: no two',
    ['enquiry: no two payments have one reference, whatever their transactions and methods'],
  ],
  [
    'starts UPI by VPA without the capability',
    insteadOf(422, isStart, started, 201),
    'start upi',
    ['start upi: a start with a VPA is 422 without upi_collect, and starts nothing'],
  ],
  [
    'mints links with another amount',
    answering(isIntent, (body) => ({ ...body, intent: String(body['intent']).replace('am=499.00', 'am=498.00') })),
    'intent:',
    [LINK],
  ],
  [
    'mints another link at each request',
    answering(isIntent, (body) => ({ ...body, intent: `${String(body['intent'])}&n=${(links += 1)}` })),
    'intent:',
    [LINK],
  ],
  [
    'mints another amount under the same tr',
    insteadOf(409, isIntent, minted, 200),
    'intent:',
    ['intent: the same tr with another amount is 409'],
  ],
  ['mints links for invalid requests', insteadOf(422, isIntent, minted, 200), 'intent:', [INVALID_INTENT]],
  ['mints links without the API key', insteadOf(401, isIntent, minted, 200), 'intent:', [INVALID_INTENT]],
  [
    'lists downtimes in another form',
    insteadOf(200, isDowntimes, { upi: 'down' }, 200),
    'downtimes',
    ['downtimes: 200 in the form of the contract, and 401 without the API key'],
  ],
]
