/**
 * `npm run bench:checkout`: the transfer size of each page, and the time from a callback to the change of the shopper's open page.
 * Prints a table, and one JSON object as the last line.
 */
import { randomBytes, randomInt } from 'node:crypto'
import { networkReport, readSigningSecret, sign, SIGNATURE_HEADERS, type NetworkReport } from '@gateway/contracts'
import type { Page } from 'playwright-core'
import { percentile } from '@gateway-tools/load/statistics'
import { PAGES } from './pages/catalogue.ts'
import { withPageEnvironment, type PageEnvironment } from './pages/open-page.ts'
import type { Shopper } from './support/browser.ts'
import type { PlacedOrder } from './support/merchant.ts'

const PAYMENTS = 60
/** The first payments warm everything up and do not count. */
const WARM_UP = 5

const AMOUNT = '1499.00'
/** Runs in the page and resolves to the time when the page shows that the payment is successful. */
const WHEN_SHOWN = `new Promise((resolve) => {
  const isShown = () => document.querySelector('[data-key="success"]') !== null
  const observer = new MutationObserver(() => isShown() && resolve(Date.now()))
  observer.observe(document.body, { childList: true, subtree: true })
})`

const secret = process.env['NETWORK_CALLBACK_SECRET'] ?? ''

await withPageEnvironment(async (environment) => {
  const weights = await weighAll(environment)
  const reactions = await react(environment)
  const shown = reactions.map(({ shownMs }) => shownMs)
  const acknowledged = reactions.map(({ acknowledgedMs }) => acknowledgedMs)

  console.log(`\n${'page'.padEnd(20)} requests    KiB`)
  for (const [name, { requests, bytes }] of weights) {
    console.log(`${name.padEnd(20)} ${String(requests).padStart(8)} ${(bytes / 1024).toFixed(1).padStart(6)}`)
  }
  console.log(`\n${`${reactions.length} payments, ms`.padEnd(40)} p50  p99`)
  console.log(line('callback sent → acknowledged', acknowledged))
  console.log(line('callback sent → page changed', shown))
  console.log(
    JSON.stringify({
      pages: Object.fromEntries(weights),
      heaviest_page_bytes: Math.max(...weights.map(([, { bytes }]) => bytes)),
      payments: reactions.length,
      acknowledged_p50_ms: percentile(acknowledged, 0.5),
      acknowledged_p99_ms: percentile(acknowledged, 0.99),
      shown_p50_ms: percentile(shown, 0.5),
      shown_p99_ms: percentile(shown, 0.99),
    }),
  )
})

async function weighAll({ browsers, shared }: PageEnvironment): Promise<[name: string, weight: Weight][]> {
  const weights: [string, Weight][] = []
  for (const entry of PAGES) {
    const shopper = await browsers.shopper('phone')
    let weigh: (() => Weight) | undefined
    const watched = {
      ...shopper,
      newTab: async () => {
        const page = await shopper.newTab()
        weigh = await weighPage(page)
        return page
      },
    }
    const page = await entry.show({ ...shared, shopper: watched, language: 'en' })
    await page.waitForLoadState('load')
    if (weigh) weights.push([entry.name, weigh()])
    await shopper.close()
  }
  return weights
}

/** One payment after the other, because latency is measured, not throughput. */
async function react({ browsers, shared }: PageEnvironment): Promise<Reaction[]> {
  const shopper = await browsers.shopper('phone')
  const reactions: Reaction[] = []
  for (let payment = 0; payment < PAYMENTS + WARM_UP; payment++) {
    const reaction = await timeReaction(shopper, await shared.order(), { url: shared.baseUrl, secret })
    if (payment >= WARM_UP) reactions.push(reaction)
  }
  await shopper.close()
  return reactions
}

function line(name: string, times: readonly number[]): string {
  return `${name.padEnd(38)} ${String(percentile(times, 0.5)).padStart(5)} ${String(percentile(times, 0.99)).padStart(4)}`
}

/** What a page's current document has transferred so far, including the document. */
interface Weight {
  /** Requests over the network; `data:` URLs do not count. */
  readonly requests: number
  /** Bytes over the network, including headers. */
  readonly bytes: number
}

/** Starts counting; each new document in the tab resets the count. */
async function weighPage(page: Page): Promise<() => Weight> {
  const session = await page.context().newCDPSession(page)
  await session.send('Network.enable')
  /** Bytes by request; a redirect and its target are one request. */
  const weights = new Map<string, number>()
  const add = (requestId: string, bytes: number) => weights.set(requestId, (weights.get(requestId) ?? 0) + bytes)
  session.on('Network.requestWillBeSent', ({ type, request, requestId }) => {
    if (type === 'Document') weights.clear()
    if (!request.url.startsWith('data:')) add(requestId, 0)
  })
  session.on('Network.responseReceived', ({ response, requestId }) => add(requestId, response.encodedDataLength))
  // For an answer that is not finished, such as an event stream: the bytes so far.
  session.on('Network.dataReceived', ({ encodedDataLength, requestId }) => add(requestId, encodedDataLength))
  // For a finished answer: all of its bytes. The earlier events do not give the size of a compressed answer.
  session.on('Network.loadingFinished', ({ encodedDataLength, requestId }) => weights.set(requestId, encodedDataLength))
  return () => ({ requests: weights.size, bytes: [...weights.values()].reduce((sum, bytes) => sum + bytes, 0) })
}

/** Times of one payment, in milliseconds. */
interface Reaction {
  /** From sending the callback to its acknowledgement. */
  readonly acknowledgedMs: number
  /** From sending the callback to the change in the shopper's page. */
  readonly shownMs: number
}

/** Opens the page of an order, reports a success to the gateway as the network does, and waits for the page to change. */
async function timeReaction(shopper: Shopper, order: PlacedOrder, gateway: { url: string; secret: string }): Promise<Reaction> {
  const page = await shopper.newTab()
  try {
    await openAndListen(page, order.url)
    const shown = page.evaluate(WHEN_SHOWN)
    const startedAt = Date.now()
    await report(order.transactionId, gateway)
    const acknowledgedMs = Date.now() - startedAt
    return { acknowledgedMs, shownMs: Number(await shown) - startedAt }
  } finally {
    await page.close()
  }
}

/** Opens the page and waits until its event stream is open. */
async function openAndListen(page: Page, url: string): Promise<void> {
  const listening = page.waitForResponse((response) => new URL(response.url()).pathname.endsWith('/events'))
  await page.goto(url)
  await listening
}

async function report(tr: string, { url, secret }: { url: string; secret: string }): Promise<void> {
  const body: NetworkReport = networkReport.parse({
    reference: `BENCH-${randomBytes(9)
      .toString('base64url')
      .replaceAll(/[^A-Za-z]/gu, 'X')}`,
    tr,
    outcome: 'success',
    amount: AMOUNT,
    method: 'upi',
    rrn: String(randomInt(10 ** 11, 10 ** 12)),
    payer: { name: 'Asha Sandbox', vpa: 'asha@sandbox' },
  })
  const bytes = Buffer.from(JSON.stringify(body))
  const messageId = body.reference
  const timestamp = Math.floor(Date.now() / 1000)
  const { status } = await fetch(`${url}/network/v1/callbacks`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      [SIGNATURE_HEADERS.id]: messageId,
      [SIGNATURE_HEADERS.timestamp]: String(timestamp),
      [SIGNATURE_HEADERS.signature]: sign(messageId, timestamp, bytes, [readSigningSecret(secret)]),
    },
    body: bytes,
  })
  if (status !== 200) throw new Error(`the callback was answered ${status}`)
}
