import { randomBytes } from 'node:crypto'
import type { Caller } from './caller.ts'

export interface Credentials {
  readonly key_id: string
  readonly key_secret: string
}

export interface JourneyOptions {
  readonly baseUrl: string
  readonly networkUrl: string
  readonly merchants: readonly Credentials[]
}

/** One order from its creation to its payment and the merchant's search; a step that fails ends it. */
export interface Journeys {
  readonly once: () => Promise<void>
  renewTokens(): Promise<void>
  /** Of the orders that were created, and of those whose payment was accepted. */
  readonly created: string[]
  readonly paid: string[]
}

const JSON_TYPE = { 'content-type': 'application/json' }
const FORM_TYPE = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' }
/** One of so many is paid on the hosted page, at a bank; the others by a UPI app. */
const ON_PAGE_EVERY = 3

export function makeJourneys(caller: Caller, { baseUrl, networkUrl, merchants }: JourneyOptions): Journeys {
  const send: Caller['send'] = (request) => caller.send(request)
  const runId = randomBytes(4).toString('hex')
  const [created, paid]: [string[], string[]] = [[], []]
  let tokens: string[] = []
  let made = 0

  async function payByUpi(text: string): Promise<boolean> {
    const body = JSON.stringify({ intent: find(text, /"intent":"([^"]+)"/u), vpa: 'success@sandbox' })
    const url = `${networkUrl}/sandbox/upi/pay`
    return (
      (await send({ what: 'UPI app', method: 'POST', url, headers: JSON_TYPE, body, expected: [200, 201, 202] })) !== undefined
    )
  }

  async function payOnPage(text: string): Promise<boolean> {
    const url = find(text, /"url":"([^"]+)"/u)
    const page = await send({ what: 'page', method: 'GET', url, expected: [200] })
    if (!page) return false
    const [csrf, attempt_id] = [
      find(page.text, /name="csrf"\s+value="([^"]+)"/u),
      find(page.text, /name="attempt_id"\s+value="([^"]+)"/u),
    ]
    const form = new URLSearchParams({ csrf, attempt_id, method: 'netbanking', bank: 'SBIN' }).toString()
    const headers = { ...FORM_TYPE, cookie: page.cookies }
    const sent = await send({ what: 'pay on page', method: 'POST', url: `${url}/pay`, headers, body: form, expected: [303] })
    if (!sent) return false
    const cookie = [page.cookies, sent.cookies].join('; ')
    const away = await send({ what: 'to the bank', method: 'GET', url: `${url}/bank`, headers: { cookie }, expected: [200] })
    if (!away) return false
    const bank = find(away.text, /<a class="button" href="([^"]+)"/u)
    const body = 'action=success'
    const answered = await send({ what: 'bank', method: 'POST', url: bank, headers: FORM_TYPE, body, expected: [303] })
    return answered !== undefined
  }

  async function once(): Promise<void> {
    made += 1
    const [number, merchant] = [made, made % merchants.length]
    const order = { order_id: `C-${runId}-${number}`, amount: '499.00', customer: CUSTOMER }
    const headers = { ...JSON_TYPE, authorization: `Bearer ${tokens[merchant] ?? ''}` }
    const url = `${baseUrl}/api/v1/orders/create`
    const answer = await send({ what: 'create', method: 'POST', url, headers, body: JSON.stringify(order), expected: [201] })
    if (!answer) return
    const id = find(answer.text, /"id":"([0-9A-Z]+)"/u)
    created.push(id)
    if (await (number % ON_PAGE_EVERY === 0 ? payOnPage(answer.text) : payByUpi(answer.text))) paid.push(id)
    const body = JSON.stringify({ order_id: order.order_id })
    await send({ what: 'search', method: 'POST', url: `${baseUrl}/api/v1/order/search`, headers, body, expected: [200] })
  }

  return {
    once,
    created,
    paid,
    async renewTokens() {
      const url = `${baseUrl}/api/v1/auth/token`
      const asked = merchants.map(({ key_id, key_secret }) =>
        send({
          what: 'token',
          method: 'POST',
          url,
          headers: JSON_TYPE,
          body: JSON.stringify({ key_id, key_secret }),
          expected: [200],
        }),
      )
      const texts = (await Promise.all(asked)).map((answer) => find(answer?.text ?? '', /"token":"([^"]+)"/u))
      tokens = merchants.map((_, index) => texts[index] || (tokens[index] ?? ''))
    },
  }
}

const CUSTOMER = { id: 'C-1', name: 'Asha Rao', email: 'asha@example.com', phone: '9876543210' }

function find(text: string, pattern: RegExp): string {
  return pattern.exec(text)?.[1] ?? ''
}
