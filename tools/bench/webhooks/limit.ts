import { connectBroker, consume, createPublisher, topology } from '@gateway/messaging'
import { silentLog, type BrokerConfig, type DatabaseConfig } from '@gateway/service-kit'
import { connectDatabase } from '@gateway/service-kit/mongo'
import { serveProgram } from '@gateway-tools/load/program'
import type { DispatcherConfig } from '@gateway-services/webhook-dispatcher/config'
import { decide, openDelivery, withAttempt, type Delivery } from '@gateway-services/webhook-dispatcher/deliveries/domain/delivery'
import { payloadOf } from '@gateway-services/webhook-dispatcher/deliveries/domain/webhook'
import { mongoDeliveries } from '@gateway-services/webhook-dispatcher/deliveries/persistence/deliveries'
import { createWebhookClient } from '@gateway-services/webhook-dispatcher/sending/webhook-client'
import { createResolver } from '@gateway-services/webhook-dispatcher/sending/resolver'
import { endpointOf, makeEvent } from './events.ts'

/**
 * What the parts can do without a dispatcher: consume, POST over kept-alive TLS, acknowledge; nothing is looked up or signed. It uses
 * the dispatcher's own consumer and HTTPS client, with its prefetch, on the same queue. With `records` it also inserts the dispatcher's
 * own record of each delivery before it acknowledges.
 */
export interface LimitOptions extends DatabaseConfig, BrokerConfig, Pick<DispatcherConfig, Delivering> {
  readonly urls: readonly string[]
  readonly records: boolean
}

type Delivering = 'retryDelaysMs' | 'parkDelaysMs' | 'prefetch' | 'timeoutMs' | 'extraCa'

export type LimitFunctions = typeof functions

const EVENT = makeEvent(0, 1)
const BODY = JSON.stringify(payloadOf(EVENT))
const HEADERS = {
  'content-type': 'application/json',
  'user-agent': 'payment-gateway-webhooks/1',
  accept: '*/*',
  'webhook-timestamp': '1767225600',
  'webhook-signature': `v1,${'A'.repeat(43)}=`,
  'webhook-attempt': '1',
  'webhook-sequence': '2',
}

/** The dispatcher's record of a delivery that was acknowledged at its first attempt. */
function recordOf(url: string): Delivery {
  const at = new Date()
  const attempt = { number: 1, at, duration_ms: 1, status_code: 200, error: null, address: '127.0.0.1', response_excerpt: null }
  return withAttempt(openDelivery(EVENT, { channel: 'payment', body: BODY }, url, at), attempt, decide(attempt, 0, [], at))
}

let stop = (): Promise<void> => Promise.resolve()

async function start(options: LimitOptions): Promise<void> {
  const { amqpUrl, amqpPrefix, mongoUrl, database, retryDelaysMs, parkDelaysMs, prefetch, timeoutMs, extraCa, urls } = options
  const log = silentLog
  const connect = () => connectDatabase({ url: mongoUrl, name: database, log })
  const deliveries = options.records ? mongoDeliveries((await connect()).connection) : undefined
  const declared = topology(amqpPrefix, retryDelaysMs, parkDelaysMs)
  const broker = connectBroker({ url: amqpUrl, name: 'limit', log, topology: declared })
  const publisher = createPublisher(broker, { confirmTimeoutMs: 5000, maxInFlight: 100, log })
  const records = urls.map(recordOf)
  const rules = { allowedHosts: new Set(['localhost']), ports: 'any' } as const
  const now = () => new Date()
  const client = createWebhookClient({ timeoutMs, rules, extraCa, resolve: createResolver(rules), now })
  const consumer = consume(broker, {
    queue: declared.queues.statusChanged,
    prefetch,
    publisher,
    log,
    async handle({ messageId }) {
      const record = records[endpointOf(messageId, urls.length)]
      if (!record?.url) return 'retry'
      const headers = { ...HEADERS, 'webhook-id': messageId }
      const { status_code: statusCode } = await client.send({ url: record.url, headers, body: BODY })
      if (statusCode !== 200) return 'retry'
      await deliveries?.insert({ ...record, id: messageId, transaction_id: messageId, created_at: now() })
      return 'ack'
    },
  })
  stop = async () => {
    await consumer.stop({ deadlineMs: 5000 })
    await broker.close()
  }
}

const functions = {
  start,
  /** Resolves to the CPU that this process has used, in milliseconds. */
  async stop() {
    const { user, system } = process.cpuUsage()
    await stop()
    return (user + system) / 1000
  },
}

serveProgram(import.meta.filename, functions)
