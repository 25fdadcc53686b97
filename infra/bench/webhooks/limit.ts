import { connectBroker, consume, createPublisher, topology } from '@gateway/messaging'
import { silentLog } from '@gateway/service-kit'
import { createWebhookClient } from '../../../services/webhook-dispatcher/src/sending/webhook-client.ts'
import { resolveWithSystem } from '../../../services/webhook-dispatcher/src/sending/guarded-lookup.ts'
import { endpointOf } from './events.ts'

/**
 * What the parts can do without a dispatcher: consume, POST over kept-alive TLS, acknowledge; nothing is looked up, signed or
 * recorded. It uses the dispatcher's own consumer and HTTPS client, with its prefetch, on the same queue.
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

function run({ amqpUrl, amqpPrefix, retryDelaysMs, parkDelaysMs, prefetch, timeoutMs, ca, urls }: LimitOptions): void {
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
      return statusCode === 200 ? 'ack' : 'retry'
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

process.once('message', run)
process.once('disconnect', () => process.exit())
