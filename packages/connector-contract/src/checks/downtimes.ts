import { downtimes } from '@gateway/contracts'
import { demand, demandStatus, type Check } from '../check.ts'
import { inWords } from '../connector.ts'

/** Checks of a connector that lists downtimes. */
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
