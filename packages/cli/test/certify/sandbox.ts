/** The parts of the gateway's sandbox that certify and a shop need, in one process: orders, search, simulate, and the stream of events. */
import { randomBytes, randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { sign } from '@gateway/sdk'
import { json, problem, startServer, type FakeRequest } from '../fake-gateway.ts'

interface SandboxOrder {
  readonly orderId: string
  readonly amount: string
  readonly transactionId: string
  readonly createdAt: Date
  readonly expiresAt: Date
  status: string
  sequence: number
}

export interface Sandbox {
  readonly url: string
  readonly signingSecret: string
  requestCount(): number
  /** Ends every session and refuses later ones. */
  refuseSessions(): void
  stop(): Promise<void>
}

type Body = Partial<Record<string, unknown>>

/** Time from `simulate` to the event. */
const SOON_MS = 20
const DEFAULT_LIFE_SECONDS = 1200

export async function startSandbox(): Promise<Sandbox> {
  const signingSecret = `whsec_${randomBytes(32).toString('base64')}`
  const orders = new Map<string, SandboxOrder>()
  const streams = new Set<ServerResponse>()
  const timers = new Set<NodeJS.Timeout>()
  let position = 0
  let isRefusing = false

  const later = (ms: number, work: () => void): void => {
    const timer = setTimeout(() => {
      timers.delete(timer)
      work()
    }, ms)
    timers.add(timer)
  }
  const emit = async (order: SandboxOrder): Promise<void> => {
    position += 1
    const [id, sequence, at] = [position, String(order.sequence), new Date()]
    const body = payloadOf(order)
    const signed = await sign(body, signingSecret, { id: `evt_${randomUUID()}`, at })
    const headers = { ...signed, 'webhook-attempt': '1', 'webhook-sequence': sequence, 'webhook-copy': 'listen' }
    for (const stream of streams) stream.write(`event: webhook\nid: ${id}\ndata: ${JSON.stringify({ headers, body })}\n\n`)
  }
  const change = (order: SandboxOrder, status: string): void => {
    order.status = status
    order.sequence += 1
    void emit(order)
  }

  const create = (body: Body, response: ServerResponse): void => {
    const { order_id, amount, expires_in } = body
    const existing = orders.get(String(order_id))
    const order = existing ?? newOrder(String(order_id), String(amount), Number(expires_in ?? DEFAULT_LIFE_SECONDS))
    orders.set(order.orderId, order)
    json(response, existing ? 200 : 201, createdView(order))
    if (!existing) void emit(order)
  }
  const simulate = (body: Body, response: ServerResponse): void => {
    const order = orders.get(String(body['order_id']))
    if (!order) {
      problem(response, 404, 'order_not_found')
      return
    }
    json(response, 202, { data: { payment_id: 'P1', order_id: order.orderId, outcome: body['outcome'] } })
    if (body['delay_ms'] !== undefined) change(order, 'Pending')
    const ended = body['outcome'] === 'success' ? 'Success' : 'Failed'
    const inMs = body['outcome'] === 'late_success' ? order.expiresAt.getTime() - Date.now() : 0
    later(Math.max(0, inMs) + SOON_MS, () => change(order, ended))
  }
  const listen = (response: ServerResponse): void => {
    if (isRefusing) {
      problem(response, 403, 'scope_missing')
      return
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(`event: ready\nid: ${position}\ndata: ${JSON.stringify({ signing_secret: signingSecret, ends_at: '' })}\n\n`)
    streams.add(response)
    response.on('close', () => streams.delete(response))
  }
  const route = ({ path, body: text }: FakeRequest, response: ServerResponse): void => {
    const body = (text === '' ? {} : JSON.parse(text)) as Body
    const order = path === '/api/v1/order/search' ? orders.get(String(body['order_id'])) : undefined
    if (path === '/api/v1/orders/create') create(body, response)
    else if (path === '/api/v1/sandbox/simulate') simulate(body, response)
    else if (path.startsWith('/api/v1/webhooks/listen')) listen(response)
    else if (path === '/api/v1/auth/token') json(response, 200, { token: randomUUID(), token_type: 'Bearer', expires_in: 300 })
    else if (order) json(response, 200, searchedView(order))
    else problem(response, 404, 'order_not_found')
  }

  const server = await startServer(route)
  return {
    url: server.url,
    signingSecret,
    requestCount: () => server.requests.length,
    refuseSessions() {
      isRefusing = true
      for (const stream of streams) stream.end()
    },
    async stop() {
      for (const timer of timers) clearTimeout(timer)
      await server.stop()
    },
  }
}

function newOrder(orderId: string, amount: string, lifeSeconds: number): SandboxOrder {
  const createdAt = new Date()
  const expiresAt = new Date(createdAt.getTime() + lifeSeconds * 1000)
  return { orderId, amount, transactionId: `T${randomUUID()}`, createdAt, expiresAt, status: 'Initiate', sequence: 1 }
}

function payloadOf({ orderId, amount, transactionId, status }: SandboxOrder): string {
  const metadata = { udf1: '', udf2: '', udf3: '' }
  const datetime = '2026-01-31 18:30:00'
  return JSON.stringify({ txnid: transactionId, merchantTxnId: orderId, amount, rrn: '', status, metadata, datetime })
}

function transactionOf({ transactionId: id, status, amount, sequence, createdAt, expiresAt }: SandboxOrder): object {
  const [created_at, expires_at] = [createdAt.toISOString(), expiresAt.toISOString()]
  return { id, status, amount, currency: 'INR', sequence, created_at, expires_at }
}

function createdView(order: SandboxOrder): object {
  const checkout = { url: `http://sandbox.example/checkout/${order.transactionId}`, intent: '' }
  return { data: { order: { order_id: order.orderId }, transaction: transactionOf({ ...order, status: 'Initiate' }) }, checkout }
}

function searchedView(order: SandboxOrder): object {
  return { data: { order: { order_id: order.orderId }, transaction: transactionOf(order) }, checkout: null }
}
