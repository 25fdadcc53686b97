/** A shop without the SDK's receiver. Each wrong variant makes one mistake, which certify must find. */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { Gateway, type Credentials, type Order } from '@gateway/sdk'
import { isGenuine, type Verification } from './is-genuine.ts'

export interface Mistakes {
  readonly verification?: Verification
  readonly dedupe?: 'none' | 'check_then_act'
  readonly lastArrivalWins?: boolean
  readonly trustsTheWebhook?: boolean
  readonly answers204?: boolean
  readonly acksBeforeStoring?: boolean
  readonly fulfilsTests?: boolean
  readonly newOrderIdOnRetry?: boolean
  /** How long fulfilling takes before the answer; correct while it is less than ten seconds. */
  readonly workMs?: number
  /** Stores webhooks and handles them later, which is correct. */
  readonly hasQueue?: boolean
}

export interface ShopOptions {
  readonly baseUrl: string
  readonly credentials: Credentials
  readonly secret: string
  readonly mistakes: Mistakes
}

export interface Shop {
  readonly url: string
  stop(): Promise<void>
}

interface ShopOrder {
  state: string
  fulfilled: number
  sequence: number
  expiresAtMs: number
}

interface Webhook {
  readonly sequence: number
  readonly isTest: boolean
  readonly merchantTxnId: string
  readonly status: string
}

const MAX_BODY_BYTES = 256 * 1024
const POLL_MS = 300

export async function startShop({ baseUrl, credentials, secret, mistakes }: ShopOptions): Promise<Shop> {
  const gateway = new Gateway({ baseUrl, credentials, ...(mistakes.newOrderIdOnRetry === true ? { maxRetries: 0 } : {}) })
  const orders = new Map<string, ShopOrder>()
  const fulfilling = new Map<string, Promise<void>>()
  const queue: Webhook[] = []

  const orderOf = (orderId: string): ShopOrder => {
    const order = orders.get(orderId) ?? { state: 'open', fulfilled: 0, sequence: 0, expiresAtMs: Infinity }
    orders.set(orderId, order)
    return order
  }
  const fulfil = async (order: ShopOrder): Promise<void> => {
    if (mistakes.workMs !== undefined) await sleep(mistakes.workMs)
    order.fulfilled += 1
    order.state = 'paid'
  }
  const fulfilOnce = async (orderId: string, order: ShopOrder): Promise<void> => {
    if (mistakes.dedupe !== undefined) return fulfil(order)
    if (order.fulfilled > 0) return
    const running = fulfilling.get(orderId) ?? fulfil(order).finally(() => fulfilling.delete(orderId))
    fulfilling.set(orderId, running)
    return running
  }
  const settle = async (orderId: string, { status }: Pick<Order['transaction'], 'status'>): Promise<void> => {
    const order = orderOf(orderId)
    if (status === 'Success') await fulfilOnce(orderId, order)
    else if (status === 'Failed') order.state = 'failed'
    else throw new Error('the search does not confirm it')
  }

  const process = async ({ merchantTxnId: orderId, status, sequence }: Webhook): Promise<void> => {
    const order = orderOf(orderId)
    if (mistakes.lastArrivalWins === true && order.fulfilled > 0) order.state = status === 'Success' ? 'paid' : status
    if (status !== 'Success' && status !== 'Failed') return
    if (mistakes.lastArrivalWins !== true && sequence < order.sequence) return
    if (mistakes.dedupe === 'check_then_act' && order.fulfilled > 0) return
    await settle(orderId, mistakes.trustsTheWebhook === true ? { status } : await search(gateway, orderId))
    order.sequence = sequence
  }
  const receive = async (webhook: Webhook): Promise<number> => {
    if (webhook.isTest) {
      if (mistakes.fulfilsTests === true) await fulfil(orderOf(webhook.merchantTxnId))
    } else if (mistakes.hasQueue === true) queue.push(webhook)
    else if (mistakes.acksBeforeStoring === true) void process(webhook).catch(() => undefined)
    else await process(webhook)
    return mistakes.answers204 === true ? 204 : 200
  }

  /** Handles queued webhooks, and searches for orders that are still open at their expiry. */
  const workLater = async (): Promise<void> => {
    for (const webhook of queue.splice(0)) await process(webhook).catch(() => queue.push(webhook))
    if (mistakes.trustsTheWebhook === true) return
    const overdue = [...orders].filter(([, { state, expiresAtMs }]) => state === 'open' && expiresAtMs < Date.now())
    for (const [orderId] of overdue)
      await search(gateway, orderId)
        .then((transaction) => settle(orderId, transaction))
        .catch(() => undefined)
  }

  const createOrder = async (wanted: string): Promise<void> => {
    const customer = { name: 'Asha Rao', email: 'asha@example.com', phone: '9876543210' }
    for (let attempt = 1; ; attempt++) {
      const order_id = mistakes.newOrderIdOnRetry === true ? `SHOP-${randomUUID()}` : wanted
      try {
        const { transaction } = await gateway.orders.create({ order_id, amount: '499.00', customer })
        orderOf(order_id).expiresAtMs = Date.parse(transaction.expires_at)
        return
      } catch (error) {
        if (mistakes.newOrderIdOnRetry !== true || attempt === 5) throw error
      }
    }
  }

  const answer = async (request: IncomingMessage, body: Buffer): Promise<[status: number, view?: object]> => {
    const { method, url = '', headers } = request
    if (method === 'POST' && url === '/hook') {
      if (!isGenuine(headers, body, secret, mistakes.verification)) return [401]
      return [await receive(readWebhook(headers, body))]
    }
    if (method === 'POST' && url === '/orders') {
      await createOrder((JSON.parse(body.toString()) as { order_id: string }).order_id)
      return [201]
    }
    const order = orders.get(url.slice('/orders/'.length))
    return order ? [200, { state: order.state, fulfilled: order.fulfilled }] : [404]
  }

  const server = createServer((request, response) => {
    readBody(request)
      .then((body) => (body.length > MAX_BODY_BYTES ? ([413] as [number]) : answer(request, body)))
      .catch((): [number] => [500])
      .then(([status, view]) => send(response, status, view))
      .catch(() => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const stopping = new AbortController()
  const working = keepWorking(workLater, stopping.signal)
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? (address?.port ?? 0) : 0}`,
    async stop() {
      stopping.abort()
      server.close()
      server.closeAllConnections()
      await working
    },
  }
}

async function keepWorking(work: () => Promise<void>, stopping: AbortSignal): Promise<void> {
  while (!stopping.aborted) {
    await work()
    await sleep(POLL_MS, undefined, { signal: stopping }).catch(() => undefined)
  }
}

async function search(gateway: Gateway, orderId: string): Promise<Order['transaction']> {
  const order = await gateway.orders.find(orderId)
  if (!order) throw new Error(`there is no order ${orderId}`)
  return order.transaction
}

function readWebhook(headers: IncomingMessage['headers'], body: Buffer): Webhook {
  const { merchantTxnId, status } = JSON.parse(body.toString()) as { merchantTxnId: string; status: string }
  const [sequence, isTest] = [Number(headers['webhook-sequence']), headers['webhook-test'] === 'true']
  return { sequence, isTest, merchantTxnId, status }
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
  return Buffer.concat(chunks)
}

function send(response: ServerResponse, status: number, view: object | undefined): void {
  if (view) response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(view))
  else response.writeHead(status).end()
}
