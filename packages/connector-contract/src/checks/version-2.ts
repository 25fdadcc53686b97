import { downtimes, enquiryResponse, isIntentFor, newTransactionId, parseAmount } from '@gateway/contracts'
import { demand, demandStatus, refuses, type Bench, type Check } from '../check.ts'
import { inWords } from '../connector.ts'
import { anIntent, aStart, paymentsOf, readIntent, startOne } from '../steps.ts'

const SKEW_MS = 60_000

/** A connector of version 2 says how old its answers are. */
export const asOfChecks: readonly Check[] = [
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

/** A connector without `upi_collect`. */
export const noCollectChecks: readonly Check[] = [
  {
    name: 'start upi: a start with a VPA is 422 without upi_collect, and starts nothing',
    async run(bench) {
      const start = aStart(bench, 'upi')
      demandStatus(await bench.connector.start(start, start.attempt_id), 422, 'a UPI start with a VPA')
      demand((await paymentsOf(bench, start.tr)).length === 0, 'the refused start made a payment')
    },
  },
]

export const intentChecks: readonly Check[] = [
  {
    name: 'intent: the link asks for the amount in INR, and a repeat with its tr gets the same bytes',
    async run(bench) {
      const request = intentOf(bench)
      const mint = async () => readIntent(await bench.connector.mintIntent(request, request.tr))
      const answers = [...(await Promise.all([mint(), mint()])), await mint()]
      const links = new Set(answers.map(({ intent }) => intent))
      demand(links.size === 1, `one tr was given ${links.size} links`)
      const [link = ''] = links
      demand(isIntentFor(parseAmount(request.amount) ?? 0, link), `the link is ${link}`)
    },
  },
  refuses('intent: the same tr with another amount is 409', 409, async (bench) => {
    const request = intentOf(bench)
    readIntent(await bench.connector.mintIntent(request, request.tr))
    return bench.connector.mintIntent({ ...request, amount: '500.00' }, request.tr)
  }),
  {
    name: 'intent: an invalid request is 422, and 401 without the API key',
    async run(bench) {
      const request = intentOf(bench)
      const { connector } = bench
      demandStatus(await connector.mintIntent({ ...request, amount: 'all' }, request.tr), 422, 'an invalid amount')
      demandStatus(await connector.mintIntent({ ...request, tr: 'lower case' }, 'lower case'), 422, 'an invalid tr')
      demandStatus(await connector.mintIntent(request, `${request.tr}2`), 422, 'a key that is not its tr')
      demandStatus(await connector.withApiKey(undefined).mintIntent(request, request.tr), 401, 'a request without the API key')
    },
  },
]

export const downtimeChecks: readonly Check[] = [
  {
    name: 'downtimes: 200 in the form of the contract, and 401 without the API key',
    async run({ connector }) {
      const answer = await connector.downtimes()
      demand(answer.status === 200 && downtimes(answer.body), `the answer is ${inWords(answer)}`)
      demandStatus(await connector.withApiKey(undefined).downtimes(), 401, 'a request without the API key')
    },
  },
]

function intentOf(bench: Bench) {
  return anIntent(aStart(bench, 'upi', { tr: newTransactionId(new Date()) }))
}
