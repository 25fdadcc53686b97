import { randomBytes } from 'node:crypto'
import type { Caller } from './caller.ts'
import { makeToken, type Credentials } from './merchants.ts'

/** What merchants and shoppers do, each call for the next merchant in turn. No call throws: the caller counts what became of it. */
export interface MerchantCalls {
  /** Tokens live for ten minutes. `ask` gets them from the gateway instead of making them here. */
  renewTokens(how: 'make' | 'ask'): Promise<void>
  create(): Promise<Order | undefined>
  payByUpi(order: Order): Promise<boolean>
  /** On the hosted page, at a bank. */
  payOnPage(order: Order): Promise<boolean>
  /** @param merchant index of the merchant that has the order */
  search(orderId: string, merchant: number): Promise<boolean>
}

export interface MerchantCallsOptions {
  readonly baseUrl: string
  readonly networkUrl: string
  readonly merchants: readonly Credentials[]
}

export interface Order {
  readonly orderId: string
  /** Index of its merchant. */
  readonly merchant: number
  readonly transactionId: string
  readonly amount: string
  readonly checkoutUrl: string
  readonly intent: string
}

const JSON_TYPE = { 'content-type': 'application/json' }
const FORM_TYPE = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' }

export function merchantCalls(caller: Caller, { baseUrl, networkUrl, merchants }: MerchantCallsOptions): MerchantCalls {
  const runId = randomBytes(4).toString('hex')
  let headers: Record<string, string>[] = []
  let made = 0

  const askToken = async ({ key_id, key_secret }: Credentials): Promise<string> => {
    const body = JSON.stringify({ key_id, key_secret })
    const url = `${baseUrl}/api/v1/auth/token`
    return find(await caller.send({ what: 'token', url, headers: JSON_TYPE, body, expected: [200] }), /"token":"([^"]+)"/u)
  }

  return {
    async renewTokens(how) {
      const tokens = await Promise.all(merchants.map(how === 'ask' ? askToken : makeToken))
      // A merchant that got no token keeps its last one.
      headers = tokens.map((token, index) =>
        token === '' ? (headers[index] ?? JSON_TYPE) : { authorization: `Bearer ${token}`, ...JSON_TYPE },
      )
    },

    async create() {
      made += 1
      const merchant = made % merchants.length
      const order = orderBody(`L-${runId}-${made}`, made)
      const url = `${baseUrl}/api/v1/orders/create`
      const sent = { headers: headers[merchant] ?? {}, body: JSON.stringify(order) }
      const answer = await caller.send({ what: 'create', url, ...sent, expected: [200, 201], isMeasured: true })
      const transactionId = find(answer, /"id":"([0-9A-Z]+)"/u)
      if (transactionId === '') return undefined
      const [checkoutUrl, intent] = [find(answer, /"url":"([^"]+)"/u), find(answer, /"intent":"([^"]+)"/u)]
      return { orderId: order.order_id, merchant, transactionId, amount: order.amount, checkoutUrl, intent }
    },

    async payByUpi({ intent }) {
      const body = JSON.stringify({ intent, vpa: 'success@sandbox' })
      const url = `${networkUrl}/sandbox/upi/pay`
      return (await caller.send({ what: 'UPI app', url, headers: JSON_TYPE, body, expected: [200, 201, 202] })) !== undefined
    },

    payOnPage: ({ checkoutUrl }) => payOnPage(caller, checkoutUrl),

    async search(orderId, merchant) {
      const url = `${baseUrl}/api/v1/order/search`
      const sent = { headers: headers[merchant] ?? {}, body: JSON.stringify({ order_id: orderId }) }
      return (await caller.send({ what: 'search', url, ...sent, expected: [200], isMeasured: true })) !== undefined
    },
  }
}

/** Opens the page, chooses a bank, follows the redirect and confirms there. A step that fails ends it. */
async function payOnPage(caller: Caller, url: string): Promise<boolean> {
  const page = await caller.send({ what: 'page', method: 'GET', url, expected: [200] })
  if (!page) return false
  const [csrf, attempt_id] = [
    find(page, /name="csrf"\s+value="([^"]+)"/u),
    find(page, /name="attempt_id"\s+value="([^"]+)"/u),
  ]
  const body = new URLSearchParams({ csrf, attempt_id, method: 'netbanking', bank: 'SBIN' }).toString()
  const headers = { ...FORM_TYPE, cookie: page.cookies }
  const sent = await caller.send({ what: 'pay on page', url: `${url}/pay`, headers, body, expected: [303] })
  if (!sent) return false
  const cookie = [page.cookies, sent.cookies].join('; ')
  const toBank = await caller.send({ what: 'to the bank', method: 'GET', url: `${url}/bank`, headers: { cookie }, expected: [200] })
  if (!toBank) return false
  const bank = find(toBank, /<a class="button" href="([^"]+)"/u)
  const paid = await caller.send({ what: 'bank', url: bank, headers: FORM_TYPE, body: 'action=success', expected: [303] })
  return paid !== undefined
}

/** Orders that are not paid must not expire while something else is measured. */
function orderBody(orderId: string, number: number) {
  return {
    order_id: orderId,
    amount: `${(number % 900) + 100}.00`,
    description: 'Blue shirt',
    customer: { id: `C-${number}`, name: 'Asha Rao', email: 'asha@example.com', phone: '9876543210' },
    udf1: 'cart-7',
    expires_in: 3600,
  }
}

function find(answer: { readonly text: string } | undefined, pattern: RegExp): string {
  return pattern.exec(answer?.text ?? '')?.[1] ?? ''
}
