/** One payment as a trace collector sees it, and the request id that all its log lines carry. */
import { anOrder, eventually, jsonClient } from '@gateway/testkit'
import { startCollector, type Collector, type Span } from './support/collector.ts'
import { startStack, type RunningStack } from './support/running-stack.ts'
import { openMerchantSite, type MerchantSite } from './support/merchant-site.ts'
import { upiApp } from './support/merchant.ts'

/** A trace id that the caller sends. */
const CALLERS_TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'

let collector: Collector
let stack: RunningStack
let site: MerchantSite

beforeAll(async () => {
  collector = await startCollector()
  stack = await startStack({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url })
  site = await openMerchantSite(stack.description, 'Traced Stores')
}, 300_000)

afterAll(async () => {
  await stack.remove()
  await site.close()
  await collector.stop()
}, 300_000)

interface Node {
  readonly what: string
  readonly children: readonly Node[]
}

/** The spans of one trace below `parent`, as a tree without ids and times. */
function treeOf(spans: readonly Span[], parent?: string): Node[] {
  const children = spans.filter(({ parentSpanId }) => parentSpanId === parent)
  const nodes = children.map(({ service, name, spanId }) => ({
    what: `${service}: ${plain(name)}`,
    children: treeOf(spans, spanId),
  }))
  return nodes.toSorted((one, other) => one.what.localeCompare(other.what))
}

/** The span's name without the prefix of this stack's queues. */
function plain(name: string): string {
  return name.replace(stack.amqpPrefix, '')
}

/** The tree without the branches of the ledger, which follows every event beside the dispatcher. */
function beside(nodes: readonly Node[]): Node[] {
  return nodes.filter(({ what }) => !what.startsWith('ledger: ')).map((node) => ({ ...node, children: beside(node.children) }))
}

/** A tree in which each node has one child. */
function chain(...whats: readonly string[]): Node[] {
  const [what, ...below] = whats
  return what === undefined ? [] : [{ what, children: chain(...below) }]
}

function traceWith(id: string): readonly Span[] {
  const { traceId } = collector.spans().find((span) => span.text.includes(id)) ?? {}
  return collector.spans().filter((span) => span.traceId === traceId)
}

const FIRST_ATTEMPT = [
  'webhook-dispatcher: wait in webhook-dispatcher.status-changed',
  'webhook-dispatcher: process transaction.status-changed',
] as const
const RETRY = [
  'webhook-dispatcher: wait in webhook-dispatcher.retries',
  'webhook-dispatcher: process webhook.retry',
  'webhook-dispatcher: POST webhook',
]

// Proves: operate/one-trace-per-payment
test('an order makes one trace, from the gateway through outboxes and queues to its webhook, and its log lines share an id', async () => {
  const order = anOrder()
  site.refuseFirst(order.order_id, 1)
  const api = jsonClient(stack.description.base_url, { authorization: `Bearer ${await site.merchant.gateway.token()}` })
  const created = await api<{ data: { transaction: { id: string } } }>('POST', '/api/v1/orders/create', order, {
    traceparent: `00-${CALLERS_TRACE}-00f067aa0ba902b7-00`,
    baggage: 'caller=1',
  })
  expect(created.status).toBe(201)
  const { id } = created.body.data.transaction
  const spans = await eventually(() => {
    const found = traceWith(`${id}.1#2`)
    expect(found.filter(({ name }) => name === 'POST webhook')).toHaveLength(2)
    expect(found.filter(({ parentSpanId }) => parentSpanId === undefined)).toHaveLength(1)
    // Each service sends its spans when it has some, so the tree grows from any side.
    const [root] = treeOf(found)
    const toOrderApi = root?.children.find(({ what }) => what === 'order-api: POST /api/v1/orders/create')
    expect(root?.what).toBe('api-gateway: POST /api/v1/orders/create')
    expect(found.map(({ name }) => plain(name))).toContain('wait in ~ledger.events')
    expect(beside(toOrderApi?.children ?? [])).toEqual(
      chain(
        'order-api: outbox order.created',
        'payment-status: wait in payment-status.order-created',
        'payment-status: process order.created',
        'payment-status: outbox transaction.status-changed',
        FIRST_ATTEMPT[0],
      ).map((node) =>
        withLeaves(node, [
          { what: FIRST_ATTEMPT[1], children: [...chain('webhook-dispatcher: POST webhook'), ...chain(...RETRY)] },
        ]),
      ),
    )
    return found
  })
  // The retry's delay is the time in its queue.
  const waited = spans.find(({ name }) => plain(name) === 'wait in webhook-dispatcher.retries')
  expect(waited?.durationMs).toBeGreaterThanOrEqual(900)

  // The gateway starts a trace of its own, links the caller's, and ignores the caller's unsampled flag.
  expect(spans[0]?.traceId).not.toBe(CALLERS_TRACE)
  expect(spans.find(({ parentSpanId }) => parentSpanId === undefined)?.links).toEqual([CALLERS_TRACE])
  expect(
    collector
      .spans()
      .map(({ text }) => text)
      .join(),
  ).not.toContain('caller=1')

  const requestId = created.headers.get('x-request-id') ?? ''
  await eventually(() => {
    const lines = [...stack.logs()].filter(([, log]) =>
      log
        .split('\n')
        .some((line) => line.includes(`"correlation_id":"${requestId}"`) && line.includes(`"trace_id":"${spans[0]?.traceId}"`)),
    )
    expect(lines.map(([service]) => service).toSorted()).toEqual([
      'api-gateway',
      'order-api',
      'payment-status',
      'webhook-dispatcher',
    ])
  })
})

/** The same tree with `children` below its last node. */
function withLeaves(node: Node, children: readonly Node[]): Node {
  return { ...node, children: node.children.length === 0 ? children : node.children.map((child) => withLeaves(child, children)) }
}

// Proves: operate/one-trace-per-payment
test('a network callback makes a trace of its own, up to the webhook; no trace contains personal data or a secret', async () => {
  const order = anOrder()
  const { transaction, checkout } = await site.merchant.gateway.orders.create(order)
  const { id } = transaction
  await upiApp(stack.description).pay(checkout.intent, 'success@sandbox')
  await eventually(() =>
    expect(beside(treeOf(traceWith(`${id}.2`)))).toEqual(
      chain(
        'api-gateway: POST /network/v1/callbacks',
        'payment-status: POST /network/v1/callbacks',
        'payment-status: outbox transaction.status-changed',
        ...FIRST_ATTEMPT,
        'webhook-dispatcher: POST webhook',
      ),
    ),
  )
  const exported = collector
    .spans()
    .map(({ text }) => text)
    .join('\n')
  const { name, email, phone } = order.customer
  const token = await site.merchant.gateway.token()
  for (const secret of [name, email, phone, token, site.webhookUrl, '@sandbox', checkout.url])
    expect(exported).not.toContain(secret)
  // Polling makes no trace.
  expect(exported).not.toContain('revocations')
})
