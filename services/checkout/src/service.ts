import { createHmac, type KeyObject } from 'node:crypto'
import { checkoutUrl } from '@gateway/contracts'
import { createMetrics, type Log, type Stoppable } from '@gateway/service-kit'
import { createApp, listen } from '@gateway/service-kit/http'
import { makeStartAtNetwork } from './clients/network.ts'
import { createPaymentStatusClient } from './clients/payment-status.ts'
import type { Config } from './config.ts'
import { outagesAt, type Outages } from './domain/outages.ts'
import { checkoutRoutes } from './http/checkout-routes.ts'
import { createBankCookie } from './http/cookies.ts'
import { createCsrf } from './http/csrf.ts'
import { createAttemptIds, type LiveKeys } from './use-cases/attempt-ids.ts'
import { makePay, makeTryAnotherWay } from './use-cases/pay.ts'
import { watchDowntimes } from './use-cases/watch-downtimes.ts'
import { createPaymentWatcher } from './use-cases/watch-payments.ts'

/** How often the connector is asked what is down. */
const DOWNTIMES_EVERY_MS = 15_000

/** Starts the hosted payment page. It stores nothing, so any number of replicas can run. The parts stop in their order. */
export async function startCheckout(
  config: Config,
  { log, downtimesEveryMs = DOWNTIMES_EVERY_MS }: { log: Log; downtimesEveryMs?: number },
): Promise<{ readonly port: number; readonly parts: readonly Stoppable[] }> {
  const now = (): Date => new Date()
  const metrics = createMetrics('checkout')
  const paymentStatus = createPaymentStatusClient({ url: config.paymentStatusUrl, serviceToken: config.serviceToken })
  const address = { url: config.networkUrl, apiKey: config.networkApiKey, usesProxy: config.networkUsesProxy }
  const downtimes = watchDowntimes(address, { log, now, everyMs: downtimesEveryMs })
  const outagesNow = (): Outages => outagesAt(downtimes.current(), now())
  const watcher = createPaymentWatcher({ paymentStatus, now, outagesNow })
  const { environment, checkoutLinkKeys: linkKeys, publicUrl } = config
  const startAtNetwork = makeStartAtNetwork(address, { environment, log })
  const attemptIdsOf = createAttemptIds(derivedKeys(linkKeys, 'checkout attempts'))
  const csrf = createCsrf(derivedKeys(linkKeys, 'checkout forms'), environment)
  const bankCookie = createBankCookie(derivedKeys(linkKeys, 'checkout bank addresses'), environment)
  const shared = { environment, linkKeys, paymentStatus, attemptIdsOf, outagesNow, now }
  const checkout = { ...shared, watcher, csrf, bankCookie }
  const linkOf = (transactionId: string): string => checkoutUrl(publicUrl, transactionId, linkKeys[0])
  const useCases = {
    pay: makePay({ ...shared, startAtNetwork, linkOf }),
    tryAnotherWay: makeTryAnotherWay(shared),
  }
  const app = createApp({
    log,
    metrics,
    // Not critical: while payment-status is down, this service shows shoppers a page that says so.
    checks: [{ name: 'payment-status', critical: false, isUp: () => paymentStatus.isUp() }],
    rawRoutes: [checkoutRoutes(checkout, useCases, log)],
    routes: [],
  })
  const server = await listen(app, { port: config.port, host: config.host })
  return { port: server.port, parts: [watcher, downtimes, server] }
}

/** Derives separate keys for each purpose, so that the output of one reveals nothing about another. */
function derivedKeys([current, ...others]: Config['checkoutLinkKeys'], purpose: string): LiveKeys {
  const derived = (linkKey: KeyObject): Buffer => createHmac('sha256', linkKey).update(purpose).digest()
  return [derived(current), ...others.map(derived)]
}
