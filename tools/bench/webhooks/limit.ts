import { connectBroker, consume, createPublisher, topology } from '@gateway/messaging'
import { silentLog } from '@gateway/service-kit'
import { connectDatabase } from '@gateway/service-kit/mongo'
import { serveCommands } from '@gateway-tools/load/program'
import type { Delivery } from '@gateway-services/webhook-dispatcher/domain/delivery'
import { mongoDeliveries } from '@gateway-services/webhook-dispatcher/persistence/deliveries'
import { createWebhookClient } from '@gateway-services/webhook-dispatcher/clients/webhook/webhook-client'
import { createResolver } from '@gateway-services/webhook-dispatcher/clients/webhook/resolver'
import { endpointOf } from './events.ts'

/**
 * What the parts can do without a dispatcher: consume, POST over kept-alive TLS, acknowledge; nothing is looked up or signed. It uses
 * the dispatcher's own consumer and HTTPS client, with its prefetch, on the same queue. With `record` it also inserts the dispatcher's
 * own record of each delivery before it acknowledges.
 */
export interface LimitOptions {
  readonly amqpUrl: string
  readonly amqpPrefix: string
  readonly retryDelaysMs: readonly number[]
  readonly parkDelaysMs: readonly number[]
  readonly prefetch: number
  readonly timeoutMs: number
  readonly ca: string
  readonly urls: readonly string[]
  /** The database of the records. */
  readonly record?: { readonly url: string; readonly name: string }
}

export type LimitCommand = ({ readonly kind: 'start' } & LimitOptions) | { readonly kind: 'stop' }

/** As long as a webhook of these events. */
const BODY = JSON.stringify({
  txnid: '01BENCH0000000000000000000',
  merchantTxnId: 'ORD-00000000',
  amount: '499.00',
  rrn: '123456789012',
  status: 'Success',
  payee: { name: 'Asha Rao', vpa: 'asha@bank' },
  metadata: { udf1: 'one', udf2: '', udf3: '' },
  datetime: '2026-01-01 12:00:00',
})
const HEADERS = {
  'content-type': 'application/json',
  'user-agent': 'payment-gateway-webhooks/1',
  accept: '*/*',
  'webhook-timestamp': '1767225600',
  'webhook-signature': `v1,${'A'.repeat(43)}=`,
  'webhook-attempt': '1',
  'webhook-sequence': '2',
}

/** The dispatcher's record of a delivery that was taken at its first attempt. */
function recordOf(id: string, url: string, at: Date): Delivery {
  return {
    id,
    merchantId: 'mer_bench_0000',
    orderId: 'ORD-00000000',
    transactionId: id,
    sequence: 2,
    correlationId: id,
    body: BODY,
    url,
    originalUrl: url,
    state: { status: 'delivered' },
    attemptCount: 1,
    roundStart: 0,
    attempts: [{ number: 1, at, durationMs: 1, statusCode: 200, error: null, address: '127.0.0.1', responseExcerpt: null }],
    occurredAt: at,
    createdAt: at,
  }
}

let stop = (): Promise<void> => Promise.resolve()

async function start(options: LimitOptions): Promise<void> {
  const { amqpUrl, amqpPrefix, retryDelaysMs, parkDelaysMs, prefetch, timeoutMs, ca, urls } = options
  const log = silentLog
  const deliveries = options.record && mongoDeliveries((await connectDatabase({ ...options.record, log })).connection)
  const declared = topology(amqpPrefix, retryDelaysMs, parkDelaysMs)
  const broker = connectBroker({ url: amqpUrl, name: 'limit', log, topology: declared })
  const publisher = createPublisher(broker, { confirmTimeoutMs: 5000, maxInFlight: 100, log })
  const now = () => new Date()
  const allowedHosts = new Set(['localhost'])
  const client = createWebhookClient({ timeoutMs, allowedHosts, extraCa: [ca], resolve: createResolver(), now })
  const consumer = consume(broker, {
    queue: declared.queues.statusChanged,
    prefetch,
    publisher,
    log,
    async handle({ messageId }) {
      const url = urls[endpointOf(messageId, urls.length)] ?? ''
      const { statusCode } = await client.send({ url, headers: { ...HEADERS, 'webhook-id': messageId }, body: BODY })
      if (statusCode !== 200) return 'retry'
      await deliveries?.insert(recordOf(messageId, url, now()))
      return 'ack'
    },
  })
  stop = async () => {
    await consumer.stop({ deadlineMs: 5000 })
    await broker.close()
  }
}

/** Answers with the CPU that this process has used, in milliseconds. */
serveCommands<LimitCommand, number>(async (command) => {
  const { user, system } = process.cpuUsage()
  if (command.kind === 'start') await start(command)
  else await stop()
  return (user + system) / 1000
})
