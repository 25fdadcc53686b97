/**
 * `npm run bench:checkout`: the transfer size of each page, and the time from a callback to the change of the shopper's open page.
 * Prints a table, and one JSON object as the last line.
 */
import type { Page } from 'playwright-core'
import { percentile } from '@gateway-tools/load/statistics'
import { PAGES } from './pages/catalogue.ts'
import { timeReaction, type Reaction } from './pages/reactions.ts'
import { withPageEnvironment, type PageEnvironment } from './pages/open-page.ts'

const PAYMENTS = 60
/** The first payments warm everything up and do not count. */
const WARM_UP = 5

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
