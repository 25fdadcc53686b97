import { connectBroker, consume, createPublisher, topology } from '@gateway/messaging'
import { connectDatabase, createGather, driverCollection, insertBatch, silentLog } from '@gateway/service-kit'
import { DELIVERIES, type DeliveryDocument } from '../../../services/webhook-dispatcher/src/persistence/delivery-model.ts'
import { createWebhookClient } from '../../../services/webhook-dispatcher/src/sending/webhook-client.ts'
import { resolveWithSystem } from '../../../services/webhook-dispatcher/src/sending/guarded-lookup.ts'
import { endpointOf } from './events.ts'

/**
 * What the parts can do without a dispatcher: consume, POST over kept-alive TLS, acknowledge; nothing is looked up, signed or
 * recorded. It uses the dispatcher's own consumer and HTTPS client, with its prefetch, on the same queue. With `record` it inserts
 * what the dispatcher stores of a delivery, in batches as large, before it acknowledges: what any dispatcher can do that keeps records.
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
  /** Where records go, if there are to be any. */
  readonly record?: { readonly url: string; readonly name: string }
}

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

/** As the dispatcher's, of a delivery that was taken at once. */
const ADDRESS = '127.0.0.1'
function recordOf(id: string, url: string, at: Date): DeliveryDocument {
  return {
    _id: id,
    merchant_id: 'mer_bench_0000',
    order_id: 'ORD-00000000',
    transaction_id: id,
    sequence: 2,
    correlation_id: id,
    body: BODY,
    url,
    original_url: url,
    status: 'delivered',
    next_attempt_at: null,
    dead_reason: null,
    finished_at: at,
    attempt_count: 1,
    round_start: 0,
    attempts: [{ number: 1, at, duration_ms: 1, status_code: 200, error: null, address: ADDRESS, response_excerpt: null }],
    last_result: '200',
    claimed_until: new Date(0),
    resend_url: null,
    occurred_at: at,
    created_at: at,
  }
}

/** Waits for others and batches as the dispatcher does. */
async function openRecords(place: {
  readonly url: string
  readonly name: string
}): Promise<(id: string, url: string) => Promise<boolean>> {
  const { connection } = await connectDatabase({ ...place, log: silentLog })
  const collection = driverCollection<DeliveryDocument>(connection, DELIVERIES)
  const insert = createGather<DeliveryDocument, boolean>({
    maxBatch: 200,
    maxWaiting: 5000,
    lingerMs: 25,
    enough: 8,
    run: (documents) => insertBatch(collection, documents),
  })
  return (id, url) => insert(recordOf(id, url, new Date()))
}

async function run(options: LimitOptions): Promise<void> {
  const { amqpUrl, amqpPrefix, retryDelaysMs, parkDelaysMs, prefetch, timeoutMs, ca, urls } = options
  const record = options.record && (await openRecords(options.record))
  const log = silentLog
  const declared = topology(amqpPrefix, retryDelaysMs, parkDelaysMs)
  const broker = connectBroker({ url: amqpUrl, name: 'limit', log, topology: declared })
  const publisher = createPublisher(broker, { confirmTimeoutMs: 5000, maxInFlight: 100, log })
  const now = () => new Date()
  const allowedHosts = new Set(['localhost'])
  const client = createWebhookClient({ timeoutMs, allowedHosts, extraCa: [ca], resolve: resolveWithSystem, now })
  const consumer = consume(broker, {
    queue: declared.queues.statusChanged,
    prefetch,
    publisher,
    log,
    async handle({ messageId }) {
      const url = urls[endpointOf(messageId, urls.length)] ?? ''
      const { statusCode } = await client.send({ url, headers: { ...HEADERS, 'webhook-id': messageId }, body: BODY })
      if (statusCode !== 200) return 'retry'
      await record?.(messageId, url)
      return 'ack'
    },
  })
  process.once('message', () => {
    const { user, system } = process.cpuUsage()
    process.send?.(user + system)
    void consumer
      .stop({ deadlineMs: 5000 })
      .then(() => broker.close())
      .then(() => process.exit())
  })
}

process.once('message', (options: LimitOptions) => void run(options))
process.once('disconnect', () => process.exit())
