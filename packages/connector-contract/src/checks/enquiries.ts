import {
  enquiryResponse,
  isCut,
  MAX_LISTED_PAYMENTS,
  newTransactionId,
  parseAmount,
  type NetworkReport,
} from '@gateway/contracts'
import { CHECKED_METHODS, demand, demandStatus, type Check } from '../check.ts'
import { inWords } from '../connector.ts'
import { capture, enquire, eventually, paidAfterDeclines, paymentsOf, startOne, type Started } from '../steps.ts'

/** RRNs of UPI and cards have 12 digits; net banking references may differ (design, section 8). */
const RRN = { upi: /^\d{12}$/u, credit_card: /^\d{12}$/u, netbanking: /^[A-Za-z0-9]+$/u }

const SKEW_MS = 60_000

export const enquiryChecks: readonly Check[] = [
  {
    name: 'enquiry: an unknown tr is an empty list',
    async run(bench) {
      const payments = await paymentsOf(bench, newTransactionId(new Date(), 0))
      demand(payments.length === 0, `an unknown tr has ${payments.length} payments`)
    },
  },
  {
    name: 'enquiry: an invalid query is 422',
    async run({ connector }) {
      for (const query of [{}, { tr: '' }, { tr: 'lower case' }])
        demandStatus(await connector.enquire(query), 422, JSON.stringify(query))
    },
  },
  {
    name: 'enquiry: every payment of a tr is listed with its reference, attempt, method and amount',
    async run(bench) {
      const first = await startOne(bench, 'upi')
      const second = await startOne(bench, 'credit_card', { tr: first.request.tr })
      const payments = await paymentsOf(bench, first.request.tr)
      demand(payments.length === 2, `two payments were started, and ${payments.length} are listed`)
      for (const started of [first, second]) {
        const isListed = payments.some((payment) => isReportOf(payment, started))
        demand(isListed, `the payment by ${started.request.method} is not listed as it was started`)
      }
    },
  },
  {
    name: 'enquiry: a capture is listed before declines, and a list that is cut says so',
    async run(bench) {
      const tr = await paidAfterDeclines(bench, MAX_LISTED_PAYMENTS + 1)
      const answer = await eventually(bench, 'the capture is not listed first', async () => {
        const found = await enquire(bench, tr)
        return found.payments[0]?.outcome === 'success' ? found : undefined
      })
      demand(isCut(answer), `of ${MAX_LISTED_PAYMENTS + 2} payments ${answer.payments.length} are listed, as if these were all`)
    },
  },
  {
    name: 'enquiry: no two payments have one reference, whatever their transactions and methods',
    async run(bench) {
      const started = []
      for (const method of [...CHECKED_METHODS, ...CHECKED_METHODS]) started.push(await startOne(bench, method))
      const references = new Set(started.map(({ response }) => response.reference))
      demand(references.size === started.length, `${started.length} payments have ${references.size} references`)
    },
  },
  ...CHECKED_METHODS.map((method): Check => ({
    name: `enquiry ${method}: a success has an rrn that does not change`,
    async run(bench) {
      const { request, report } = await capture(bench, method)
      demand(RRN[method].test(report.rrn ?? ''), `the rrn of a success is ${JSON.stringify(report.rrn)}`)
      const [again] = await paymentsOf(bench, request.tr)
      demand(again?.rrn === report.rrn, 'the rrn changed')
    },
  })),
  {
    name: 'enquiry upi: a success names the payer',
    async run(bench) {
      const { report } = await capture(bench, 'upi')
      demand((report.payer?.vpa ?? '') !== '', 'the payer is missing')
    },
  },
  {
    name: 'enquiry: the answer says as_of when the network was asked',
    async run(bench) {
      const { request } = await startOne(bench, 'credit_card')
      const answer = await bench.connector.enquire({ tr: request.tr })
      const asOf = enquiryResponse(answer.body) ? answer.body.as_of : undefined
      demand(asOf !== undefined, `as_of is missing in ${inWords(answer)}`)
      demand(Date.parse(asOf) <= Date.now() + SKEW_MS, `as_of is in the future: ${asOf}`)
    },
  },
]

function isReportOf(payment: NetworkReport, { request, response, attemptId }: Started): boolean {
  return (
    payment.reference === response.reference &&
    payment.attempt_id === attemptId &&
    payment.method === request.method &&
    parseAmount(payment.amount) === parseAmount(request.amount)
  )
}
