import { randomBytes } from 'node:crypto'
import { Gauge } from 'prom-client'
import type { Metrics } from '@gateway/service-kit'
import { makeCopyWebhooks } from '../use-cases/copy-webhooks.ts'
import { makeOpenListenSession, type OpenListenSession } from '../use-cases/open-listen-session.ts'
import type { Parts } from './parts.ts'

/** The largest difference between the clocks of two replicas that loses no copy. */
const MAX_SKEW_MS = 60_000

/** The use case behind the merchants' listen route. */
export function composeListening(parts: Parts, metrics: Metrics): OpenListenSession {
  const { timeoutMs, claimMarginMs } = parts.config
  const lookBackMs = timeoutMs + claimMarginMs + MAX_SKEW_MS
  const copyWebhooks = makeCopyWebhooks({ ...parts, lookBackMs })
  const open = makeOpenListenSession({ ...parts, copyWebhooks, lookBackMs, randomBytes })
  new Gauge({
    name: 'webhook_listen_sessions',
    help: 'Open sessions of merchants that listen to copies of their webhooks (sandbox)',
    registers: [metrics.registry],
    collect() {
      this.set(open.open)
    },
  })
  return open
}
