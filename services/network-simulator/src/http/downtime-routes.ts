import { Router } from 'express'
import { compile, downtimeSchema, NETWORK_DOWNTIMES_PATH, type Downtime } from '@gateway/contracts'
import { requireBearer } from '@gateway/service-kit/http'

/** The downtimes that testers have set. */
export interface DowntimeList {
  list(): Promise<Downtime[]>
  /** Replaces all of them. */
  set(downtimes: readonly Downtime[]): Promise<void>
}

/** A tester may leave out when it began: now. */
const downtimesOfTester = compile({
  type: 'array',
  maxItems: 100,
  items: { ...downtimeSchema, additionalProperties: false, required: ['method', 'severity'] },
} as const)

/** The connector's list of downtimes, and the sandbox's route that sets it. */
export function downtimeRoutes({ downtimes, now }: { downtimes: DowntimeList; now: () => Date }, apiKey: string): Router {
  return Router()
    .get(NETWORK_DOWNTIMES_PATH, requireBearer(apiKey), async (_request, response) => {
      response.json((await downtimes.list()) satisfies Downtime[])
    })
    .get('/sandbox/downtimes', async (_request, response) => {
      response.json(await downtimes.list())
    })
    .put('/sandbox/downtimes', async (request, response) => {
      const began_at = now().toISOString()
      const list = downtimesOfTester.parse(request.body).map((one) => ({ began_at, ...one }))
      await downtimes.set(list)
      response.json(await downtimes.list())
    })
}
