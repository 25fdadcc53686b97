/** The SDK and the shop of examples/shop, against the real gateway. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { ApiError, createReceiver, Gateway, isFinal, memoryStore, type Order, type WebhookEvent } from '@gateway/sdk'
import {
  anOrder,
  createMerchant,
  eventually,
  freePort,
  newOrderId,
  startWebhookReceiver,
  type MerchantCredentials,
  type WebhookReceiver,
} from '@gateway/testkit'
import { readAuthority } from '@gateway-infra/local/stack-file'
import { sharedStack, type SharedStack } from './support/running-stack.ts'

let stack: SharedStack
let credentials: MerchantCredentials
let gateway: Gateway
let site: WebhookReceiver
let secret: string

beforeAll(async () => {
  stack = sharedStack()
  credentials = await createMerchant(stack.description.operator, { name: 'SDK Stores' })
  gateway = new Gateway({ baseUrl: stack.description.base_url, credentials })
  site = await startWebhookReceiver({ ca: readAuthority(stack.description) })
  const { signing_secret } = await gateway.endpoint.register(`${site.url}/hook`)
  secret = signing_secret ?? ''
}, 300_000)

afterAll(() => site.stop())

// Proves: sdk/works-against-the-real-gateway
test('create, pay, receive, confirm, with the real gateway', async () => {
  const finals: [Order, WebhookEvent][] = []
  const tests: WebhookEvent[] = []
  const errors: unknown[] = []
  const receiver = createReceiver({
    gateway,
    secrets: secret,
    store: memoryStore(),
    onFinal: (order, event) => void finals.push([order, event]),
    onTest: (event) => void tests.push(event),
    onError: (error) => errors.push(error),
  })
  site.respondWith(async ({ body, headers }) => ({ status: await receiver.handle(body, headers) }))

  const order = anOrder({ udf1: 'cart 7' })
  const created = await gateway.orders.create(order)
  expect(created).toMatchObject({ created: true, order: { order_id: order.order_id }, transaction: { status: 'Initiate' } })
  expect(await gateway.orders.create(order)).toEqual({ ...created, created: false })
  const conflict = await gateway.orders.create({ ...order, amount: '1.00' }).catch((error: unknown) => error)
  expect(conflict).toBeInstanceOf(ApiError)
  expect(conflict).toMatchObject({ status: 409, code: 'order_id_conflict', requestId: expect.any(String) })
  expect(await gateway.orders.find(newOrderId())).toBeUndefined()

  expect(await gateway.sandbox.simulate({ order_id: order.order_id, outcome: 'success' })).toMatchObject({ outcome: 'success' })
  const paid = await gateway.orders.waitForFinal(order.order_id, { timeoutMs: 30_000 })
  expect(isFinal(paid)).toBe(true)
  expect(paid.transaction.status).toBe('Success')
  await eventually(() => expect(finals).toHaveLength(1), { deadlineMs: 30_000 })
  expect(finals).toMatchObject([[{ order: { udf1: 'cart 7' } }, { payload: { txnid: created.transaction.id } }]])

  expect(await gateway.endpoint.test()).toMatchObject({ status_code: 200, error: null })
  expect(tests).toHaveLength(1)
  expect(errors).toEqual([])
  const list = gateway.deliveries.list({ order_id: order.order_id, limit: 1 })
  const deliveries = await eventually(async () => {
    const all = []
    for await (const delivery of list) all.push(delivery)
    expect(all.map(({ status }) => status)).toEqual(['delivered', 'delivered'])
    return all
  })
  expect(await gateway.deliveries.resend(deliveries[0]?.id ?? '')).toEqual({ id: deliveries[0]?.id })
  expect(await gateway.deliveries.recover({ since: new Date(Date.now() - 60_000), to: 'current' })).toEqual({
    count: 0,
    skipped: 0,
  })
  expect(await gateway.endpoint.get()).toMatchObject({ url: `${site.url}/hook`, disabled: null })
})

test('invalid fields, a foreign secret and an unknown delivery are typed errors', async () => {
  const customer = { name: 'Asha Rao', email: 'asha@example.com', phone: '12' }
  const invalid = gateway.orders.create(anOrder({ amount: '1e3', customer }))
  await expect(invalid).rejects.toMatchObject({
    code: 'validation_failed',
    errors: expect.arrayContaining([{ field: '/customer/phone', message: expect.any(String) }]),
  })
  const foreign = new Gateway({
    baseUrl: stack.description.base_url,
    credentials: { ...credentials, key_secret: Buffer.alloc(32, 1).toString('base64url') },
  })
  await expect(foreign.endpoint.get()).rejects.toMatchObject({ status: 401, code: 'token_invalid' })
  await expect(gateway.deliveries.resend('none')).rejects.toMatchObject({ status: 404, code: 'delivery_not_found' })
})

// Proves: sdk/example-shop-fulfils-once
test('the example shop: cart, pay button, hosted page, and the order is fulfilled once', async () => {
  const port = await freePort()
  const env = {
    PATH: process.env['PATH'],
    BASE_URL: stack.description.base_url,
    KEY_ID: credentials.key_id,
    KEY_SECRET: credentials.key_secret,
    WEBHOOK_SECRET: secret,
    PORT: String(port),
  }
  const shop = spawn(process.execPath, [join(import.meta.dirname, '../examples/shop/shop.ts')], { env, stdio: 'inherit' })
  const at = (path: string) => `http://127.0.0.1:${port}${path}`
  try {
    const page = await eventually(async () => (await fetch(at('/'))).text(), { deadlineMs: 30_000 })
    const orderId = /value="(ORD-[^"]+)"/u.exec(page)?.[1] ?? ''
    site.respondWith(async ({ body, headers }) => {
      const { 'content-length': _length, host: _host, connection: _connection, ...kept } = headers
      const forwarded = () => fetch(at('/hook'), { method: 'POST', body, headers: kept as Record<string, string> })
      // Each webhook comes twice, and once forged.
      const [one, other] = await Promise.all([forwarded(), forwarded()])
      const forged = await fetch(at('/hook'), {
        method: 'POST',
        body: `${body.toString()} `,
        headers: kept as Record<string, string>,
      })
      return { status: one.status === 200 && other.status === 200 && forged.status === 401 ? 200 : 500 }
    })
    const press = () =>
      fetch(at('/orders'), { method: 'POST', body: new URLSearchParams({ order_id: orderId }), redirect: 'manual' })
    const [first, second] = await Promise.all([press(), press()])
    expect(first.status).toBe(303)
    expect(first.headers.get('location')).toBe(second.headers.get('location'))
    expect((await fetch(first.headers.get('location') ?? '')).status).toBe(200)

    await gateway.sandbox.simulate({ order_id: orderId, outcome: 'success' })
    const state = async (): Promise<unknown> => (await fetch(at(`/orders/${orderId}`))).json()
    await eventually(async () => expect(await state()).toEqual({ state: 'paid', fulfilled: 1 }), { deadlineMs: 30_000 })
    await eventually(
      async () => {
        const { items } = await gateway.deliveries.list({ order_id: orderId }).page()
        expect(items.map(({ status, attempts }) => [status, attempts.length])).toEqual([
          ['delivered', 1],
          ['delivered', 1],
        ])
      },
      { deadlineMs: 30_000 },
    )
    expect(await state()).toEqual({ state: 'paid', fulfilled: 1 })
  } finally {
    shop.kill()
    await once(shop, 'exit')
  }
})
