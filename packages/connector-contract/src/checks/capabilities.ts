import { capabilities, downtimes, isIntentFor, newTransactionId, parseAmount } from '@gateway/contracts'
import { demand, demandBody, demandStatus, refuses, type Bench, type Check } from '../check.ts'
import { anIntent, aStart, readIntent } from '../steps.ts'

export const capabilityChecks: readonly Check[] = [
  {
    name: 'capabilities: 200 in the form of the contract, and 401 without the API key',
    async run({ connector }) {
      demandBody(await connector.capabilities(), [200], capabilities, 'the request')
      demandStatus(await connector.withApiKey(undefined).capabilities(), 401, 'a request without the API key')
    },
  },
]

/** Checks of a connector that lists downtimes. */
export const downtimeChecks: readonly Check[] = [
  {
    name: 'downtimes: 200 in the form of the contract, and 401 without the API key',
    async run({ connector }) {
      demandBody(await connector.downtimes(), [200], downtimes, 'the request')
      demandStatus(await connector.withApiKey(undefined).downtimes(), 401, 'a request without the API key')
    },
  },
]

/** Checks of a connector that mints UPI links. */
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

function intentOf(bench: Bench) {
  return anIntent(aStart(bench, 'upi', { tr: newTransactionId(new Date(), 0) }))
}
