import { downtimeSchema, type DowntimesResponse, type DowntimeView } from '@gateway/contracts'
import { operation } from './operation.ts'
import { listOf, objectOf } from './schema-helpers.ts'

const { method, instrument, severity, began_at, ended_at } = downtimeSchema.properties
const downtime = objectOf<DowntimeView>({ method, instrument, severity, began_at, ended_at })

export const downtimePaths = {
  '/api/v1/downtimes': {
    get: operation({
      id: 'listDowntimes',
      summary: 'What does not work at the banks and networks now',
      tag: 'orders',
      responses: {
        200: objectOf<DowntimesResponse>({ data: objectOf<DowntimesResponse['data']>({ downtimes: listOf(downtime) }) }),
      },
      refusals: [],
    }),
  },
}
