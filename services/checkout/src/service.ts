import { createHmac } from 'node:crypto'
import { createApp, createMetrics, listen, type Log, type Stoppable } from '@gateway/service-kit'
import { createPaymentStatusClient } from './clients/payment-status.ts'
import type { Config } from './config.ts'
import { checkoutRoutes } from './http/checkout-routes.ts'
import { createCsrf } from './http/csrf.ts'
import { createPaymentWatcher } from './use-cases/watch-payments.ts'

export interface Running {
  readonly port: number
  /** In the order in which they are to be stopped. */
  readonly parts: readonly Stoppable[]
}

const POLL_EVERY_MS = 500
const MAX_LISTENERS = 10_000
const MAX_LISTENERS_PER_PAYMENT = 20

/** Starts the hosted page; it keeps nothing, so any number of replicas can stand side by side. */
export async function startCheckout(config: Config, { log }: { log: Log }): Promise<Running> {
  const now = (): Date => new Date()
  const metrics = createMetrics('checkout')
  const paymentStatus = createPaymentStatusClient({ url: config.paymentStatusUrl, internalApiToken: config.internalApiToken })
  const watcher = createPaymentWatcher({
    paymentStatus,
    now,
    pollEveryMs: POLL_EVERY_MS,
    maxListeners: MAX_LISTENERS,
    maxListenersPerPayment: MAX_LISTENERS_PER_PAYMENT,
  })
  const csrf = createCsrf(createHmac('sha256', config.checkoutLinkKey).update('checkout forms').digest(), config.environment)
  const { environment, checkoutLinkKey: linkKey } = config
  const app = createApp({
    log,
    metrics,
    // Not critical: while it is away, this service tells shoppers so.
    checks: [{ name: 'payment-status', critical: false, isUp: () => paymentStatus.isUp() }],
    rawRoutes: [checkoutRoutes({ environment, linkKey, paymentStatus, watcher, csrf, now, log })],
    routes: [],
  })
  const server = await listen(app, { port: config.port, host: config.host })
  const streams: Stoppable = {
    name: 'event streams',
    stop: () => {
      watcher.stop()
      return Promise.resolve()
    },
  }
  return { port: server.port, parts: [streams, server] }
}
