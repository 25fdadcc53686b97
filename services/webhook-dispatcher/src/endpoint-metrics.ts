import { Counter, Gauge } from 'prom-client'
import type { Metrics } from '@gateway/service-kit'
import type { Denied } from './admission/admission.ts'
import type { Breaker } from './admission/circuit-breaker.ts'
import type { DisabledReason } from './domain/endpoint-health.ts'

/** Counts what happens to endpoints; a disabled one raises an alert. */
export interface EndpointObserver {
  readonly breakerChanged: (to: Breaker['status']) => void
  readonly denied: (reason: Denied['reason']) => void
  readonly disabled: (reason: DisabledReason) => void
}

/** Label values that dashboards and alerts use. */
const DENIED_LABEL = { breaker_open: 'breaker', at_limit: 'limit' } as const satisfies Record<Denied['reason'], string>

/** @param notClosed breakers that are open or half-open */
export function endpointMetrics(metrics: Metrics, notClosed: () => number): EndpointObserver {
  const registers = [metrics.registry]
  const changes = new Counter({
    name: 'webhook_breaker_changes_total',
    help: 'Changes of endpoint circuit breakers in this replica, by new state',
    labelNames: ['to'],
    registers,
  })
  const delayed = new Counter({
    name: 'webhook_parked_total',
    help: 'Attempts delayed without being made, by reason: breaker (open), or limit (of requests in flight)',
    labelNames: ['because'],
    registers,
  })
  const disabled = new Counter({
    name: 'webhook_endpoints_disabled_total',
    help: 'Endpoints disabled, by reason: gone (410) or failing for too long',
    labelNames: ['reason'],
    registers,
  })
  // From 0 on: Prometheus sees no increase in a counter that starts with its first event.
  for (const reason of ['gone', 'failing']) disabled.inc({ reason }, 0)
  new Gauge({
    name: 'webhook_breakers_open',
    help: 'Endpoint circuit breakers of this replica that are open or half-open',
    registers,
    collect() {
      this.set(notClosed())
    },
  })
  return {
    breakerChanged: (to) => changes.inc({ to }),
    denied: (reason) => delayed.inc({ because: DENIED_LABEL[reason] }),
    disabled(reason) {
      disabled.inc({ reason })
      metrics.alerts.inc({ kind: 'webhook_endpoint_disabled' })
    },
  }
}
