import { createMetrics } from '@gateway/service-kit'
import { dispatcherMetrics } from './metrics.ts'

test('counters of alerts exist from the start: Prometheus sees no increase in a counter that begins at one', async () => {
  const metrics = createMetrics('webhook-dispatcher')
  dispatcherMetrics(metrics, { inFlight: () => 0, notClosed: () => 0 })
  const text = await metrics.registry.metrics()
  expect(text).toMatch(/^webhook_deliveries_total\{[^}]*outcome="dead"[^}]*\} 0$/mu)
  for (const reason of ['gone', 'failing'])
    expect(text).toMatch(new RegExp(`^webhook_endpoints_disabled_total\\{[^}]*reason="${reason}"[^}]*\\} 0$`, 'mu'))
})
