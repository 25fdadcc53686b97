import { Router } from 'express'
import type { HealthCheck } from '../process/health-check.ts'
import type { Metrics } from '../metrics/metrics.ts'

const CHECK_TIMEOUT_MS = 2000

/** `GET /healthz` for the process, `GET /readyz` for its dependencies, `GET /metrics` for Prometheus. */
export function healthRoutes(checks: readonly HealthCheck[], metrics: Metrics): Router {
  return Router()
    .get('/healthz', (_request, response) => {
      response.json({ status: 'ok' })
    })
    .get('/readyz', async (_request, response) => {
      const results = await Promise.all(checks.map(async (check) => ({ check, up: await isUp(check) })))
      for (const { check, up } of results) metrics.dependencyUp.set({ dependency: check.name }, up ? 1 : 0)
      const ready = results.every(({ check, up }) => up || !check.critical)
      response.status(ready ? 200 : 503).json({
        status: !ready ? 'unavailable' : results.every(({ up }) => up) ? 'ok' : 'degraded',
        checks: Object.fromEntries(results.map(({ check, up }) => [check.name, up ? 'up' : 'down'])),
      })
    })
    .get('/metrics', async (_request, response) => {
      response.type(metrics.registry.contentType).send(await metrics.registry.metrics())
    })
}

async function isUp(check: HealthCheck): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, CHECK_TIMEOUT_MS, false)
  })
  try {
    return await Promise.race([Promise.resolve(check.isUp()), timeout])
  } catch {
    return false
  } finally {
    clearTimeout(timer)
  }
}
