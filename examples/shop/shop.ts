/** A shop: a cart, a pay button, the hosted page, and a receiver that fulfils each paid order once. README: "Integrate in five minutes". */
import { randomUUID } from 'node:crypto'
import express from 'express'
import { Gateway, isFinal, memoryStore, type Order } from '@gateway/sdk'
import { createReceiver } from '@gateway/sdk/express'

const { BASE_URL = '', KEY_ID: key_id = '', KEY_SECRET: key_secret = '', WEBHOOK_SECRET = '', PORT = '3000' } = process.env
const gateway = new Gateway({ baseUrl: BASE_URL, credentials: { key_id, key_secret } })
/** A real shop keeps orders in its database, and the receiver's store beside them. */
const orders = new Map<string, { state: 'open' | 'paid' | 'failed'; fulfilled: number; expiresAt: string }>()

/** Fulfils a paid order once, after a webhook or a search, whichever comes first. */
function settle({ order: { order_id }, transaction: { status, expires_at: expiresAt } }: Order): void {
  if (orders.get(order_id)?.state === 'paid') return
  orders.set(order_id, { state: status === 'Success' ? 'paid' : 'failed', fulfilled: status === 'Success' ? 1 : 0, expiresAt })
}

const receiver = createReceiver({ gateway, secrets: WEBHOOK_SECRET, store: memoryStore(), onFinal: settle })

// Webhooks may be lost: search for orders that are still open when they expire.
async function settleExpired(): Promise<void> {
  const expired = [...orders].filter(([, { state, expiresAt }]) => state === 'open' && Date.parse(expiresAt) < Date.now())
  for (const [id] of expired) {
    const order = await gateway.orders.find(id)
    if (order && isFinal(order)) settle(order)
  }
}
setInterval(() => void settleExpired().catch((error: unknown) => process.emitWarning(String(error))), 5000)

const app = express()
app.post('/hook', receiver) // before any body parser: it needs the bytes as they came
app.use(express.urlencoded(), express.json())
// The id is in the form, so pressing the button twice is one order.
app.get('/', (_request, response) => {
  const cart = '<p>One blue shirt: 499.00 rupees</p>'
  response.send(
    `${cart}<form method="post" action="/orders"><button name="order_id" value="ORD-${randomUUID()}">Pay</button></form>`,
  )
})
app.post('/orders', async ({ body }, response) => {
  const { order_id = '' } = body as { order_id?: string }
  const customer = { name: 'Asha Rao', email: 'asha@example.com', phone: '9876543210' }
  const return_url = `http://localhost:${PORT}/orders/${order_id}`
  const { checkout, transaction } = await gateway.orders.create({ order_id, amount: '499.00', customer, return_url })
  if (!orders.has(order_id)) orders.set(order_id, { state: 'open', fulfilled: 0, expiresAt: transaction.expires_at })
  response.redirect(303, checkout.url)
})
app.get('/orders/:id', ({ params: { id } }, response) => {
  const { state = 'unknown', fulfilled = 0 } = orders.get(id) ?? {}
  response.json({ state, fulfilled })
})
app.listen(Number(PORT), '127.0.0.1')
