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
  /** By request; a redirect is one request with what it leads to. */
  const weights = new Map<string, number>()
  const add = (requestId: string, bytes: number) => weights.set(requestId, (weights.get(requestId) ?? 0) + bytes)
  session.on('Network.requestWillBeSent', ({ type, request, requestId }) => {
    if (type === 'Document') weights.clear()
    if (!request.url.startsWith('data:')) add(requestId, 0)
  })
  session.on('Network.responseReceived', ({ response, requestId }) => add(requestId, response.encodedDataLength))
  // Of an answer that goes on, such as an event stream, what has come.
  session.on('Network.dataReceived', ({ encodedDataLength, requestId }) => add(requestId, encodedDataLength))
  // Of one that has ended all of it: of a compressed one the events before do not say how large it was.
  session.on('Network.loadingFinished', ({ encodedDataLength, requestId }) => weights.set(requestId, encodedDataLength))
  return () => ({ requests: weights.size, bytes: [...weights.values()].reduce((sum, bytes) => sum + bytes, 0) })
}
