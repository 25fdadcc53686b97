import { createHmac, type KeyObject } from 'node:crypto'
import { checkoutUrl } from '@gateway/contracts'
import { createMetrics, type Log, type Stoppable } from '@gateway/service-kit'
import { createApp, listen } from '@gateway/service-kit/http'
import { createNetworkClient } from './clients/network.ts'
import { createPaymentStatusClient } from './clients/payment-status.ts'
import type { Config } from './config.ts'
import { createBankCookie } from './http/bank-cookie.ts'
import { checkoutRoutes } from './http/checkout-routes.ts'
import { createCsrf } from './http/csrf.ts'
import { createDoor } from './http/door.ts'
import { makePageContext } from './http/page-context.ts'
import { createAttemptIds } from './use-cases/attempt-ids.ts'
import { makePay } from './use-cases/pay.ts'
import { makeTryAnotherWay } from './use-cases/try-another-way.ts'
import { createPaymentWatcher } from './use-cases/watch-payments.ts'

export interface Running {
  readonly port: number
  /** In the order in which they are to be stopped. */
  readonly parts: readonly Stoppable[]
}

const POLL_EVERY_MS = 500
/**
 * Fewer than the connections that a gateway keeps for the page (4096), so that pages which stay open never keep others from
 * being loaded; who is not listened to polls.
 */
const MAX_LISTENERS = 3000
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
  const { environment, checkoutLinkKey: linkKey, publicUrl } = config
  const network = createNetworkClient({ url: config.networkUrl, apiKey: config.networkApiKey, environment, log })
  const attemptIdOf = createAttemptIds(derivedKey(linkKey, 'checkout attempts'))
  const csrf = createCsrf(derivedKey(linkKey, 'checkout forms'), environment)
  const bankCookie = createBankCookie(derivedKey(linkKey, 'checkout bank addresses'), environment)
  const contextOf = makePageContext({ environment, attemptIdOf, bankCookie, now })
  const door = createDoor({ environment, watcher, csrf, bankCookie, contextOf, now }, { linkKey, paymentStatus })
  const linkOf = (transactionId: string): string => checkoutUrl(publicUrl, transactionId, linkKey)
  const useCases = {
    pay: makePay({ paymentStatus, network, attemptIdOf, linkOf, environment, now }),
    tryAnotherWay: makeTryAnotherWay({ paymentStatus, now }),
    cancel: (transactionId: string) => paymentStatus.cancel(transactionId),
  }
  const app = createApp({
    log,
    metrics,
    // Not critical: while it is away, this service tells shoppers so.
    checks: [{ name: 'payment-status', critical: false, isUp: () => paymentStatus.isUp() }],
    rawRoutes: [checkoutRoutes(door, useCases, log)],
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

/** A key of its own for every purpose, so that what one of them shows says nothing about another. */
function derivedKey(linkKey: KeyObject, purpose: string): Buffer {
  return createHmac('sha256', linkKey).update(purpose).digest()
}
