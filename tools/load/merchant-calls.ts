import { randomBytes, randomInt } from 'node:crypto'
import { request } from 'undici'
import type { AuthTokenResponse, CreateOrderResponse } from '@gateway/contracts'
import { ApiError, type NewOrder } from '@gateway/sdk'
import { connectApi, makeToken, type ApiAnswer, type ApiConnection, type MerchantCredentials } from '@gateway/testkit/merchants'
import { createRecorder, type Recorder } from './recorder.ts'

export interface MerchantLoadSetup {
  readonly baseUrl: string
  readonly networkUrl: string
  readonly merchants: readonly MerchantCredentials[]
}

const CONNECTIONS = 256
/** Searches choose from the newest orders. */
const MAX_SEARCHED = 200_000
/** Of the journeys, one in so many pays on the hosted page; the others by a UPI app. */
const ON_PAGE_EVERY = 3
/** Of the journeys, one in so many searches with a token that the gateway made. */
const ASK_TOKEN_EVERY = 30

/** A token lives ten minutes; a run takes less than the rest. */
const RENEW_TOKEN_AFTER_MS = 5 * 60_000

/**
 * What merchants and shoppers do. Nothing is sent twice, and no call throws: a recorder counts what became of it. The gateway shares its
 * processors with this load, so it goes without the SDK, which takes twice the CPU time of a plain call.
 */
export function merchantCalls({ baseUrl, networkUrl, merchants }: MerchantLoadSetup) {
  const { record, take } = createRecorder()
  const limit = { connections: CONNECTIONS }
  const [gateway, network] = [connectApi(baseUrl, limit), connectApi(networkUrl, limit)]
  const clients = merchants.map((credentials) => clientOf(credentials, gateway))
  const runId = randomBytes(4).toString('hex')
  let [orders, transactionIds, paidIds]: [Order[], string[], string[]] = [[], [], []]
  let [made, journeys] = [0, 0]

  /** Creates an order of the next merchant in turn. */
  async function create() {
    made += 1
    const merchant = clients[made % clients.length]
    if (!merchant) throw new Error('there is no merchant')
    const order = orderOf(`L-${runId}-${made}`, made)
    const created = await record({ what: 'create', isMeasured: true }, () => merchant.create(order))
    if (!created) return undefined
    const { transaction } = created.data
    if (orders.length >= MAX_SEARCHED) orders = orders.slice(MAX_SEARCHED / 2)
    orders.push({ orderId: order.order_id, merchant })
    transactionIds.push(transaction.id)
    return { orderId: order.order_id, merchant, transactionId: transaction.id, checkout: created.checkout }
  }

  async function pay(isOnPage: boolean) {
    const order = await create()
    if (!order) return undefined
    const { url, intent } = order.checkout
    const byUpi = () => accepted(network.call('POST', '/sandbox/upi/pay', { intent, vpa: 'success@sandbox' }))
    const isPaid = isOnPage ? payOnPage(record, url) : record({ what: 'UPI app' }, byUpi)
    if (await isPaid) paidIds.push(order.transactionId)
    return order
  }

  function search({ orderId, merchant }: Order, token?: string): Promise<unknown> {
    return record({ what: 'search', isMeasured: true }, () => merchant.search(orderId, token))
  }

  /** A token that the gateway makes for the merchant. */
  async function askToken({ merchant: { credentials } }: Order): Promise<string | undefined> {
    const { key_id, key_secret } = credentials
    const ask = () => accepted(gateway.call<AuthTokenResponse>('POST', '/api/v1/auth/token', { key_id, key_secret }))
    return (await record({ what: 'token' }, ask))?.token
  }

  type Order = { readonly orderId: string; readonly merchant: Client }
  return {
    kinds: {
      create,
      /** Any of the orders that were created here. */
      search: async () => {
        const order = orders[randomInt(Math.max(orders.length, 1))]
        if (!order) throw new Error('no order was created that could be searched for')
        return search(order)
      },
      /** Create, and pay by UPI. */
      pay: () => pay(false),
      /** Create, pay, search. Now and then it searches with a token that the gateway made. */
      journey: async () => {
        const number = ++journeys
        const order = await pay(number % ON_PAGE_EVERY === 0)
        if (order) await search(order, number % ASK_TOKEN_EVERY === 0 ? await askToken(order) : undefined)
      },
    },
    /** What happened since the last look. */
    take() {
      /** The transactions of accepted orders, and those whose payment the network took. */
      const taken = { ...take(), transactionIds, paidIds }
      ;[transactionIds, paidIds] = [[], []]
      return taken
    },
    close: () => Promise.all([gateway.close(), network.close()]),
  }
}

type Client = ReturnType<typeof clientOf>

function clientOf(credentials: MerchantCredentials, gateway: ApiConnection) {
  let made: { readonly token: Promise<string>; readonly untilMs: number } | undefined

  async function call<T>(path: string, body: object, token?: string): Promise<T> {
    if (!made || performance.now() > made.untilMs)
      made = { token: makeToken(credentials), untilMs: performance.now() + RENEW_TOKEN_AFTER_MS }
    return accepted(gateway.call<T>('POST', path, body, { authorization: `Bearer ${token ?? (await made.token)}` }))
  }
  return {
    credentials,
    create: (order: NewOrder) => call<CreateOrderResponse>('/api/v1/orders/create', order),
    /** By default with a token that the merchant makes itself. */
    search: (orderId: string, token?: string) => call('/api/v1/order/search', { order_id: orderId }, token),
  }
}

/** Opens the page, chooses a bank, follows the redirect and confirms there. A step that fails ends it. */
async function payOnPage(record: Recorder['record'], url: string): Promise<boolean> {
  const page = await record({ what: 'page' }, () => browse(url))
  if (!page) return false
  const [csrf, attempt_id] = [find(page, /name="csrf"\s+value="([^"]+)"/u), find(page, /name="attempt_id"\s+value="([^"]+)"/u)]
  const choice = { csrf, attempt_id, method: 'netbanking', bank: 'SBIN' }
  const sent = await record({ what: 'pay on page' }, () => browse(`${url}/pay`, page.cookies, choice))
  if (!sent) return false
  const toBank = await record({ what: 'to the bank' }, () => browse(`${url}/bank`, [...page.cookies, ...sent.cookies]))
  if (!toBank) return false
  const bank = find(toBank, /<a class="button" href="([^"]+)"/u)
  return (await record({ what: 'bank' }, () => browse(bank, [], { action: 'success' }))) !== undefined
}

/** Opens a page (200) or submits a form (303), as a browser does. Follows no redirect. Throws for any other status. */
async function browse(url: string, cookies: readonly string[] = [], form?: Record<string, string>) {
  const submitted = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' }
  const headers = { ...(cookies.length > 0 && { cookie: cookies.join('; ') }), ...(form && submitted) }
  const sent = form ? ({ method: 'POST', body: new URLSearchParams(form).toString() } as const) : {}
  const { statusCode: status, headers: received, body } = await request(url, { headers, ...sent })
  const text = await body.text()
  if (status !== (form ? 303 : 200)) throw refused({ status, headers: received, text })
  const set = [received['set-cookie'] ?? []].flat()
  return { text, cookies: set.map((cookie) => cookie.split(';')[0] ?? '') }
}

/** The body of an answer. Throws an `ApiError` when the call was refused. */
async function accepted<T>(call: Promise<ApiAnswer<T>>): Promise<T> {
  const answer = await call
  if (answer.status >= 300) throw refused(answer)
  return answer.body
}

function refused({ status, headers, text }: Omit<ApiAnswer<unknown>, 'body'>): ApiError {
  const code = /"code":"([^"]+)"/u.exec(text)?.[1] ?? text.slice(0, 200)
  return new ApiError('refused', { status, code, retryAfterMs: headers['retry-after'] === undefined ? undefined : 0 })
}

/** Orders that are not paid must not expire while something else is measured. */
function orderOf(orderId: string, number: number): NewOrder {
  return {
    order_id: orderId,
    amount: `${(number % 900) + 100}.00`,
    description: 'Blue shirt',
    customer: { id: `C-${number}`, name: 'Asha Rao', email: 'asha@example.com', phone: '9876543210' },
    udf1: 'cart-7',
    expires_in: 3600,
  }
}

function find({ text }: { readonly text: string }, pattern: RegExp): string {
  return pattern.exec(text)?.[1] ?? ''
}
