/** Measures how soon an open page shows a report of the network. */
import { randomBytes, randomInt } from 'node:crypto'
import { networkReport, readSigningSecret, sign, SIGNATURE_HEADERS, type NetworkReport } from '@gateway/contracts'
import type { Page } from 'playwright-core'
import type { Shopper } from '../support/browser.ts'
import type { PlacedOrder } from '../support/merchant.ts'

/** Times of one payment, in milliseconds. */
export interface Reaction {
  /** From sending the callback to its acknowledgement. */
  readonly acknowledgedMs: number
  /** From sending the callback to the change in the shopper's page. */
  readonly shownMs: number
}

const AMOUNT = '1499.00'
/** Runs in the page and resolves to the time when the page shows that the payment is successful. */
const WHEN_SHOWN = `new Promise((resolve) => {
  const isShown = () => document.querySelector('[data-key="success"]') !== null
  const observer = new MutationObserver(() => isShown() && resolve(Date.now()))
  observer.observe(document.body, { childList: true, subtree: true })
})`

/** Opens the page of an order, reports a success to the gateway as the network does, and waits for the page to change. */
export async function timeReaction(
  shopper: Shopper,
  order: PlacedOrder,
  gateway: { url: string; secret: string },
): Promise<Reaction> {
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
