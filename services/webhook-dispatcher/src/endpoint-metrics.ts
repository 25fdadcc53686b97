import { Counter, Gauge } from 'prom-client'
import type { Metrics } from '@gateway/service-kit'
import type { EndpointObserver } from './use-cases/admission.ts'

/** Counts endpoints that are left alone or disabled; a disabled one is an alert. */
export function endpointMetrics(metrics: Metrics, leftAlone: () => number): EndpointObserver {
  const registers = [metrics.registry]
  const changes = new Counter({
    name: 'webhook_breaker_changes_total',
    help: 'Circuit breakers of endpoints in this replica, by the state they came to',
    labelNames: ['to'],
    registers,
  })
  const waits = new Counter({
    name: 'webhook_parked_total',
    help: 'Attempts put aside without having been made, by why: breaker, or limit of places',
    labelNames: ['because'],
    registers,
  })
  const disabled = new Counter({
    name: 'webhook_endpoints_disabled_total',
    help: 'Endpoints disabled, by why: gone (410) or failing for too long',
    labelNames: ['reason'],
    registers,
  })
  // A counter that begins with its first event shows Prometheus no increase.
  for (const reason of ['gone', 'failing']) disabled.inc({ reason }, 0)
  new Gauge({
    name: 'webhook_breakers_open',
    help: 'Endpoints that this replica leaves alone now',
    registers,
    collect() {
      this.set(leftAlone())
    },
  })
  return {
    changed: (to) => changes.inc({ to }),
    waits: (because) => waits.inc({ because }),
    disabled(reason) {
      disabled.inc({ reason })
      metrics.alerts.inc({ kind: 'webhook_endpoint_disabled' })
    },
  }
}
