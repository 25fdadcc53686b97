import type { RequestListener } from 'node:http'
import { Router } from 'express'
import type { HealthCheck, Metrics } from '@gateway/service-kit'
import { auditOperators, createApp, requireOperator } from '@gateway/service-kit/http'
import { createReadDeliveries } from '../deliveries/index.ts'
import { makeReplayDead } from '../delivering/index.ts'
import { createResetEndpoints } from '../endpoints/index.ts'
import {
  makeAuditDeliveries,
  makeListDisabledEndpoints,
  noTransitions,
  operatorRoutes,
  paymentStatusTransitions,
  type RetiredQueues,
} from '../operating/index.ts'
import type { Parts } from './parts.ts'

export interface OperatorAppOptions {
  readonly retiredQueues: RetiredQueues
  readonly checks: readonly HealthCheck[]
  readonly metrics: Metrics
}

/** The operators' routes, on a port of their own. */
export function createOperatorApp(parts: Parts, { retiredQueues, checks, metrics }: OperatorAppOptions): RequestListener {
  const { config, endpoints, readModel, audited, log, now } = parts
  const auditDeliveries = makeAuditDeliveries({
    fetchTransitions: config.paymentStatus ? paymentStatusTransitions(config.paymentStatus) : noTransitions,
    records: readModel,
    endpoints,
    retentionMs: config.retentionMs,
    graceMs: config.auditGraceMs,
    // The sweep republishes an overdue delivery first.
    overdueMs: config.sweepOverdueMs + config.auditGraceMs,
    now,
  })
  const routes = [
    Router().use('/operator', requireOperator(config.operators), auditOperators(audited)),
    operatorRoutes({
      ...parts,
      readDeliveries: createReadDeliveries(parts),
      replayDead: makeReplayDead(parts),
      auditDeliveries,
      retiredQueues,
      listDisabledEndpoints: makeListDisabledEndpoints(endpoints),
      resetEndpoints: createResetEndpoints(parts),
    }),
  ]
  return createApp({ log, metrics, checks, routes })
}
