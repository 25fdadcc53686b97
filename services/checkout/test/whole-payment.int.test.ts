import {
  checkoutToken,
  formatSigningSecret,
  readSigningSecret,
  type OrderCreated,
  type TransactionView,
} from '@gateway/contracts'
import { silentLog, stopAll, type Stoppable } from '@gateway/service-kit'
import { buildIndexes } from '@gateway/service-kit/mongo'
import { createSandbox, eventually, freePort, jsonClient, startJsonServer, startTestTokens } from '@gateway/testkit'
import { eventTopology } from '@gateway/messaging'
import { indexesOf as paymentIndexes } from '../../network-simulator/src/persistence/indexes.ts'
import { startNetworkSimulator } from '../../network-simulator/src/service.ts'
import { indexesOf as transactionIndexes } from '../../payment-status/src/persistence/indexes.ts'
import { startPaymentStatus } from '../../payment-status/src/service.ts'
import { anOrderCreated } from '../../payment-status/test/fixture.ts'
import { startCheckout } from '../src/service.ts'
import { LINK_KEY } from './fixture.ts'
import { BANK, CARD, newShopper, OTHER_CARD, payFields, type Shopper } from './shopper.ts'

/** The page beside the real payment-status and the real simulator: from the form to the status, callbacks and enquiries included. */
const SECRET = 'a-secret-of-more-than-thirty-two-characters'
const callbackKey = readSigningSecret(formatSigningSecret(Buffer.alloc(32, 7)))

interface World {
  readonly url: string
  order(data?: Partial<OrderCreated['data']>): { id: string; path: string }
  view(id: string): Promise<TransactionView>
  stop(): Promise<void>
}

async function startWorld(): Promise<World> {
  const [sandbox, tokens] = await Promise.all([createSandbox(), startTestTokens()])
  const orders = new Map<string, OrderCreated>()
  const orderApi = await startJsonServer(({ path }) => {
    const found = orders.get(path.split('/').at(-1) ?? '')
    return found ? { status: 200, body: found } : { status: 404, body: { code: 'order_not_found' } }
  })
  const [statusPort, networkPort, checkoutPort] = [await freePort(), await freePort(), await freePort()]
  const at = (port: number): string => `http://127.0.0.1:${port}`
  const common = {
    environment: 'sandbox',
    host: '127.0.0.1',
    logLevel: 'error',
    shutdownDelayMs: 0,
    internalApiToken: SECRET,
  } as const
  const network = { networkUrl: at(networkPort), networkApiKey: SECRET, publicUrl: at(checkoutPort), checkoutLinkKey: LINK_KEY }
  const stored = { mongoUrl: sandbox.mongoUrl, jwksUrl: tokens.jwksUrl }
  const broker = { amqpUrl: sandbox.amqpUrl, amqpPrefix: sandbox.amqpPrefix }
  const timing = {
    enquiryDelaysMs: [200],
    enquiryGraceMs: 300,
    enquiryGiveUpMs: 10_000,
    finalEnquiryDelaysMs: [60_000],
    reversalDelaysMs: [200],
  }
  const { mongoUrl } = sandbox
  const [statusDatabase, networkDatabase] = [sandbox.database('payment_status'), sandbox.database('network_simulator')]
  await buildIndexes({ mongoUrl, database: statusDatabase }, transactionIndexes, silentLog)
  await buildIndexes({ mongoUrl, database: networkDatabase }, paymentIndexes, silentLog)
  const status = await startPaymentStatus(
    {
      ...common,
      ...network,
      ...stored,
      ...broker,
      port: statusPort,
      database: statusDatabase,
      orderApiUrl: orderApi.url,
      networkCallbackKeys: [callbackKey],
      timing,
    },
    silentLog,
  )
  const simulator = await startNetworkSimulator(
    {
      ...common,
      ...stored,
      port: networkPort,
      database: networkDatabase,
      publicUrl: at(networkPort),
      callbackUrl: `${at(statusPort)}/network/v1/callbacks`,
      callbackKey,
      apiKey: SECRET,
      paymentStatusUrl: at(statusPort),
      pageTimeoutMs: 300_000,
    },
    { log: silentLog },
  )
  const checkout = await startCheckout(
    { ...common, ...network, port: checkoutPort, paymentStatusUrl: at(statusPort) },
    { log: silentLog },
  )
  const parts: Stoppable[] = [...checkout.parts, ...simulator.parts, ...status.parts]
  const internal = jsonClient(at(statusPort), { authorization: `Bearer ${SECRET}` })
  return {
    url: at(checkoutPort),
    order(data = {}) {
      const order = anOrderCreated({ description: 'Blue shirt', ...data })
      const id = order.data.transaction_id
      orders.set(id, order)
      return { id, path: `/checkout/${checkoutToken(id, LINK_KEY)}` }
    },
    view: async (id) => (await internal<TransactionView>('GET', `/internal/v1/transactions/${id}`)).body,
    async stop() {
      await stopAll(silentLog, parts, 10_000)
      await Promise.all([orderApi.stop(), tokens.stop()])
      await sandbox.remove([eventTopology(sandbox.amqpPrefix)])
    },
  }
}

let world: World
beforeAll(async () => (world = await startWorld()), 60_000)
afterAll(() => world.stop())

const becomes = (id: string, fields: Partial<TransactionView>) =>
  eventually(async () => expect(await world.view(id)).toMatchObject(fields), { deadlineMs: 30_000 })

/** Follows the page to the bank or issuer, does something there, and comes back as a browser does. */
async function atBank(shopper: Shopper, path: string, form: Record<string, string>): Promise<void> {
  const html = await (await shopper.get(`${path}/bank`)).text()
  const address = /<a class="button" href="([^"]+)"/u.exec(html)?.[1]?.replaceAll('&amp;', '&') ?? ''
  const answer = await fetch(address, { method: 'POST', body: new URLSearchParams(form), redirect: 'manual' })
  expect(answer.headers.get('location')).toBe(world.url + path)
}

test('a card, confirmed on the issuer’s page', async () => {
  const { id, path } = world.order()
  const shopper = newShopper(world)
  const page = await shopper.open(path)
  expect((await shopper.post(`${path}/pay`, payFields(page))).headers.get('location')).toBe(`${path}/bank`)
  expect(await world.view(id)).toMatchObject({ status: 'Pending', attempts: [{ id: page.attemptId, status: 'open' }] })
  // Another card in a second tab, while this one is open: the network has the first one only.
  const second = await shopper.post(`${path}/pay`, payFields(page, OTHER_CARD))
  expect([second.headers.get('location'), shopper.cookies.get('checkout_notice')?.value]).toEqual([path, 'already_started'])

  await atBank(shopper, path, { action: 'otp', otp: '123456' })
  await becomes(id, { status: 'Success', method: 'credit_card' })
  expect((await world.view(id)).attempts).toHaveLength(1)
  expect((await shopper.open(path)).html).toContain('Payment successful')
})

test('declined at one bank, then paid at another', async () => {
  const { id, path } = world.order({ max_attempts: 2 })
  const shopper = newShopper(world)
  const first = await shopper.open(path)
  await shopper.post(`${path}/pay`, payFields(first, BANK))
  await atBank(shopper, path, { action: 'failure' })
  await becomes(id, { status: 'Pending', payable: true, attempts_left: 1 })

  const next = await shopper.open(path)
  expect(next.html).toContain('Payment declined')
  await shopper.post(`${path}/pay`, payFields(next, { bank: 'PASS' }))
  await becomes(id, { status: 'Success', method: 'netbanking' })
  expect((await world.view(id)).attempts).toMatchObject([
    { id: first.attemptId, status: 'failed' },
    { id: next.attemptId, status: 'succeeded' },
  ])
})

test('another way while the first is open: the first may still be paid, and the first success wins', async () => {
  const { id, path } = world.order({ max_attempts: 2 })
  const shopper = newShopper(world)
  const first = await shopper.open(path)
  await shopper.post(`${path}/pay`, payFields(first, BANK))
  const left = (await (await shopper.get(`${path}/bank`)).text()).match(/<a class="button" href="([^"]+)"/u)?.[1] ?? ''
  const waiting = await shopper.open(path)
  await shopper.post(`${path}/another-way`, { csrf: waiting.csrf, attempt_id: waiting.attemptId })
  await becomes(id, { payable: true })

  await shopper.post(`${path}/pay`, payFields(await shopper.open(path), CARD))
  await fetch(left, { method: 'POST', body: new URLSearchParams({ action: 'success' }), redirect: 'manual' })
  await becomes(id, { status: 'Success', method: 'netbanking' })
})

test('double click and two tabs: one attempt, paid once', async () => {
  const { id, path } = world.order({ max_attempts: 3 })
  const shopper = newShopper(world)
  const page = await shopper.open(path)
  const answers = await Promise.all([1, 2, 3].map(() => shopper.post(`${path}/pay`, payFields(page, { bank: 'PASS' }))))
  for (const answer of answers) expect([answer.status, answer.headers.get('location')]).toEqual([303, path])
  await becomes(id, { status: 'Success' })
  expect((await world.view(id)).attempts).toHaveLength(1)
})

test('the bank is down, and the shopper cancels: the enquiry finds nothing, and the order ends', async () => {
  const { id, path } = world.order()
  const shopper = newShopper(world)
  const page = await shopper.open(path)
  expect((await shopper.post(`${path}/pay`, payFields(page, { bank: 'DOWN' }))).headers.get('location')).toBe(path)
  expect((await shopper.open(path)).html).toContain('Waiting for your bank')
  await shopper.post(`${path}/cancel`, { csrf: page.csrf })
  await becomes(id, { status: 'Failed', failure_reason: 'cancelled' })
})

test('the start’s answer is lost: asked again with the same attempt, the shopper gets to the bank', async () => {
  const { id, path } = world.order()
  const shopper = newShopper(world)
  await shopper.post(`${path}/pay`, payFields(await shopper.open(path), { bank: 'LOST' }))
  await atBank(shopper, path, { action: 'success' })
  await becomes(id, { status: 'Success' })
})
