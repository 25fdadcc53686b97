import type { CDPSession, Page } from 'playwright-core'

/** What the last document of a page has cost so far, itself included. */
export interface Weight {
  /** Requests over the network; what stands in the page itself is none. */
  readonly requests: number
  /** Bytes over the network, headers and all. */
  readonly bytes: number
}

/** Counts from now on; each new document of the tab begins anew. */
export async function weighPage(page: Page): Promise<() => Weight> {
  const session: CDPSession = await page.context().newCDPSession(page)
  await session.send('Network.enable')
  let requests = 0
  let bytes = 0
  session.on('Network.requestWillBeSent', ({ type, request }) => {
    if (type === 'Document') [requests, bytes] = [0, 0]
    if (!request.url.startsWith('data:')) requests += 1
  })
  session.on('Network.responseReceived', ({ response }) => (bytes += response.encodedDataLength))
  // Of an answer that has ended, what came after its headers; of one that goes on, such as an event stream, what has come.
  session.on('Network.dataReceived', ({ encodedDataLength }) => (bytes += encodedDataLength))
  return () => ({ requests, bytes })
}
