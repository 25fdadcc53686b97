import { createMetrics, startWorker, type Log, type Stoppable } from '@gateway/service-kit'
import { createApp, listen } from '@gateway/service-kit/http'
import { createRateLimiter, makeClientAddress } from '@gateway/service-kit/limits'
import { createInternalTokenVerifier, makeIdentify } from '@gateway/service-kit/merchant-auth'
import { connectDatabase, waitForIndexes, type Database } from '@gateway/service-kit/mongo'
import { makeSendCallback } from './clients/gateway-callback.ts'
import { createPaymentStatusClient } from './clients/payment-status.ts'
import type { Config } from './config.ts'
import { networkRoutes } from './http/network-routes.ts'
import { openApiRoute } from './http/openapi.ts'
import { bankRoutes, limitPages, upiAppRoutes } from './http/page-routes.ts'
import { sandboxRoutes, simulateRoute } from './http/sandbox-routes.ts'
import { mongoDowntimes } from './persistence/downtimes.ts'
import { mongoKeepIntent } from './persistence/intents.ts'
import { indexesOf } from './persistence/indexes.ts'
import { mongoPayments } from './persistence/payments.ts'
import { randomIds, type Tools } from './use-cases/create-payments.ts'
import { makeBankPages, makeResolvePayments } from './use-cases/decide-payment.ts'
import { makeEnquire } from './use-cases/enquire.ts'
import { makeMintIntent } from './use-cases/mint-intent.ts'
import { makePayByUpi, makeSimulate } from './use-cases/pay-order.ts'
import { makeRefundPayments, makeReversePayment } from './use-cases/return-money.ts'
import { makeCallbackSender } from './use-cases/send-callbacks.ts'
import { makeBeginPayment } from './use-cases/start-payment.ts'

const SEND_EVERY_MS = 200

/**
 * Starts the simulator. Tests start it in their own process, on port 0. The parts stop in their order. `callbackTimeoutMs` is for a
 * test in which the gateway holds callbacks back.
 */
export async function startNetworkSimulator(
  config: Config,
  { log, callbackTimeoutMs }: { readonly log: Log; readonly callbackTimeoutMs?: number },
): Promise<{ readonly port: number; readonly parts: readonly Stoppable[] }> {
  const metrics = createMetrics('network-simulator')
  const now = (): Date => new Date()
  const database = await connectDatabase({ url: config.mongoUrl, name: config.database, log })
  const payments = mongoPayments(database.connection)
  await waitForIndexes(database, indexesOf, { ...config, log, metrics })

  const paymentStatus = createPaymentStatusClient({ url: config.paymentStatusUrl, serviceToken: config.serviceToken })
  const sender = makeCallbackSender({
    payments,
    findTransaction: paymentStatus.findTransaction,
    sendCallback: makeSendCallback({
      ...{ url: config.callbackUrl, key: config.callbackKey, now },
      ...(callbackTimeoutMs === undefined ? {} : { timeoutMs: callbackTimeoutMs }),
    }),
    now,
    onGivenUp: ({ reference, tr }, { outcome, refund, tries }) => {
      metrics.alerts.inc({ kind: 'callback_given_up' })
      log.error('callback given up', { reference, tr, outcome, refund_id: refund?.id, tries })
    },
    onError: (error) => log.error('callback failed', { error }),
  })
  const useCases = useCasesOf({ payments, sender, ...paymentStatus, newIds: randomIds, now }, config, database)
  const clientAddress = makeClientAddress(config.trustedProxies)
  const app = createApp({
    log,
    metrics,
    checks: [database.check],
    rawRoutes: [
      limitPages({ limit: createRateLimiter(config.pagesPerSecond, () => performance.now()), clientAddress }),
      bankRoutes(useCases.bankPages),
      upiAppRoutes(useCases),
      openApiRoute(config.publicUrl),
    ],
    routes: [
      networkRoutes(useCases, config),
      sandboxRoutes(useCases, config.apiKey),
      simulateRoute(useCases, makeIdentify(createInternalTokenVerifier({ ...config, audience: 'network-simulator', now }))),
    ],
  })
  const worker = startWorker({ name: 'callbacks', log, step: () => sender.sendDue(), idleMs: SEND_EVERY_MS })
  const server = await listen(app, { port: config.port, host: config.host })
  const drain: Stoppable = { name: 'callbacks in flight', stop: () => sender.drain() }
  const closing: Stoppable = { name: 'database', stop: () => database.close() }
  return { port: server.port, parts: [server, worker, drain, closing] }
}

function useCasesOf(tools: Tools, config: Config, { connection }: Database) {
  const downtimes = mongoDowntimes(connection)
  return {
    ...{ now: tools.now, downtimes, listDowntimes: downtimes.list },
    beginPayment: makeBeginPayment({ ...tools, publicUrl: config.publicUrl, pageTimeoutMs: config.pageTimeoutMs }),
    enquire: makeEnquire(tools),
    reversePayment: makeReversePayment(tools),
    refunds: makeRefundPayments(tools),
    mintIntent: makeMintIntent({ keepIntent: mongoKeepIntent(connection), key: config.apiKey }),
    payByUpi: makePayByUpi(tools),
    resolvePayments: makeResolvePayments(tools),
    // Testers see all payments, including those that an enquiry does not return yet.
    paymentsOf: (tr: string) => tools.payments.findByTransaction(tr),
    bankPages: makeBankPages(tools),
    simulate: makeSimulate(tools),
  }
}
