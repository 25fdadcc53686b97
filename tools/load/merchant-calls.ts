import { randomBytes } from 'node:crypto'
import { request } from 'undici'
import type { AuthTokenResponse } from '@gateway/contracts'
import { ApiError, Gateway } from '@gateway/sdk'
import { connectApi, type ApiAnswer, type MerchantCredentials } from '@gateway/testkit/merchants'
import { createRecorder, type Recorder } from './recorder.ts'

export interface MerchantCallsOptions {
  readonly baseUrl: string
  readonly networkUrl: string
  readonly merchants: readonly MerchantCredentials[]
  /** To each of the two, at most. */
  readonly connections: number
}

export interface Order {
  readonly orderId: string
  /** Index of its merchant. */
  readonly merchant: number
  readonly transactionId: string
  readonly checkoutUrl: string
  readonly intent: string
}

/** What merchants and shoppers do. Nothing is sent twice, and no call throws: `recorder` counts what became of it. */
export function merchantCalls({ baseUrl, networkUrl, merchants, connections }: MerchantCallsOptions) {
  const recorder = createRecorder()
  const [gateway, network] = [baseUrl, networkUrl].map((url) => connectApi(url, { connections }))
  if (!gateway || !network) throw new Error('both have a URL')
  const clients = merchants.map((credentials) => new Gateway({ baseUrl, credentials, fetch: gateway.fetch, maxRetries: 0 }))
  const runId = randomBytes(4).toString('hex')
  let made = 0
  const clientOf = (merchant: number) => {
    const client = clients[merchant]
    if (!client) throw new Error(`there is no merchant ${merchant}`)
    return client
  }

  return {
    recorder,
    /** For the next merchant in turn. */
    async create(): Promise<Order | undefined> {
      made += 1
      const merchant = made % merchants.length
      const order = orderOf(`L-${runId}-${made}`, made)
      const create = () => clientOf(merchant).orders.create(order)
      const created = await recorder.record({ what: 'create', isMeasured: true }, create)
      if (!created) return undefined
      const { transaction, checkout } = created
      const links = { checkoutUrl: checkout.url, intent: checkout.intent }
      return { orderId: order.order_id, merchant, transactionId: transaction.id, ...links }
    },

    async payByUpi({ intent }: Order): Promise<boolean> {
      const pay = () => accepted(network.call('POST', '/sandbox/upi/pay', { intent, vpa: 'success@sandbox' }))
      return (await recorder.record({ what: 'UPI app' }, pay)) !== undefined
    },

    /** On the hosted page, at a bank. */
    payOnPage: ({ checkoutUrl }: Order) => payOnPage(recorder, checkoutUrl),

    /** @param merchant index of the order's merchant; `token` by default one that the merchant made itself */
    async search(orderId: string, merchant: number, token?: string): Promise<boolean> {
      const search = (): Promise<unknown> => {
        if (token === undefined) return clientOf(merchant).orders.find(orderId)
        const headers = { authorization: `Bearer ${token}` }
        return accepted(gateway.call('POST', '/api/v1/order/search', { order_id: orderId }, headers))
      }
      return (await recorder.record({ what: 'search', isMeasured: true }, search)) !== undefined
    },

    /** A token that the gateway makes for the merchant. */
    async askToken(merchant: number): Promise<string | undefined> {
      const { key_id, key_secret } = merchants[merchant] ?? {}
      const ask = () => accepted(gateway.call<AuthTokenResponse>('POST', '/api/v1/auth/token', { key_id, key_secret }))
      return (await recorder.record({ what: 'token' }, ask))?.token
    },

    async close(): Promise<void> {
      await Promise.all([gateway.close(), network.close()])
    },
  }
}

/** Opens the page, chooses a bank, follows the redirect and confirms there. A step that fails ends it. */
async function payOnPage({ record }: Recorder, url: string): Promise<boolean> {
  const page = await record({ what: 'page' }, () => browse(url))
  if (!page) return false
  const [csrf, attempt_id] = [find(page, /name="csrf"\s+value="([^"]+)"/u), find(page, /name="attempt_id"\s+value="([^"]+)"/u)]
  const cookie = cookiesOf(page)
  const choice = { csrf, attempt_id, method: 'netbanking', bank: 'SBIN' }
  const sent = await record({ what: 'pay on page' }, () => browse(`${url}/pay`, cookie, choice))
  if (!sent) return false
  const both = `${cookie}; ${cookiesOf(sent)}`
  const toBank = await record({ what: 'to the bank' }, () => browse(`${url}/bank`, both))
  if (!toBank) return false
  const bank = find(toBank, /<a class="button" href="([^"]+)"/u)
  return (await record({ what: 'bank' }, () => browse(bank, '', { action: 'success' }))) !== undefined
}

interface Page {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
}

/** Opens a page (200) or submits a form (303), as a browser does. Follows no redirect. Throws for any other status. */
async function browse(url: string, cookie = '', form?: Record<string, string>): Promise<Page> {
  const headers = cookie === '' ? {} : { cookie }
  const submitted = { ...headers, 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' }
  const sent = form
    ? ({ method: 'POST', headers: submitted, body: new URLSearchParams(form).toString() } as const)
    : ({ method: 'GET', headers } as const)
  const { statusCode, headers: received, body } = await request(url, sent)
  const text = await body.text()
  if (statusCode !== (form ? 303 : 200)) throw refused(statusCode, received, text)
  return { headers: received, text }
}

/** The body of an answer. Throws an `ApiError` when the call was refused. */
async function accepted<T>(call: Promise<ApiAnswer<T>>): Promise<T> {
  const { status, headers, text, body } = await call
  if (status >= 300) throw refused(status, headers, text)
  return body
}

function refused(status: number, headers: Page['headers'], text: string): ApiError {
  const code = /"code":"([^"]+)"/u.exec(text)?.[1] ?? text.slice(0, 200)
  return new ApiError('refused', { status, code, retryAfterMs: headers['retry-after'] === undefined ? undefined : 0 })
}

function cookiesOf({ headers }: Page): string {
  const cookies = [headers['set-cookie'] ?? []].flat()
  return cookies.map((cookie) => cookie.split(';')[0] ?? '').join('; ')
}

/** Orders that are not paid must not expire while something else is measured. */
function orderOf(orderId: string, number: number) {
  return {
    order_id: orderId,
    amount: `${(number % 900) + 100}.00`,
    description: 'Blue shirt',
    customer: { id: `C-${number}`, name: 'Asha Rao', email: 'asha@example.com', phone: '9876543210' },
    udf1: 'cart-7',
    expires_in: 3600,
  }
}

function find({ text }: Page, pattern: RegExp): string {
  return pattern.exec(text)?.[1] ?? ''
}
