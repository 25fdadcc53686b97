import { Router } from 'express'
import type { Downtime, DowntimesResponse, DowntimeView } from '@gateway/contracts'
import type { Identify } from '@gateway/service-kit/merchant-auth'

/** `GET /api/v1/downtimes` (design, section 11): present and announced downtimes. */
export function downtimesRoute(dependencies: {
  identify: Identify
  findDowntimes: () => Promise<readonly Downtime[]>
  now: () => Date
}): Router {
  const { identify, findDowntimes, now } = dependencies
  return Router().get('/api/v1/downtimes', async (request, response) => {
    await identify(request, 'read')
    const at = now()
    const downtimes = (await findDowntimes()).map(toView).filter(({ ended_at }) => ended_at === null || at < new Date(ended_at))
    response.json({ data: { downtimes } } satisfies DowntimesResponse)
  })
}

/** Only the fields of our API: connectors may send more. */
function toView({ method, instrument = null, severity, began_at, ended_at = null }: Downtime): DowntimeView {
  return { method, instrument, severity, began_at, ended_at }
}
