import type { CDPSession, Page } from 'playwright-core'

/** What a page's current document has transferred so far, including the document. */
export interface Weight {
  /** Requests over the network; `data:` URLs do not count. */
  readonly requests: number
  /** Bytes over the network, including headers. */
  readonly bytes: number
}

/** Starts counting; each new document in the tab resets the count. */
export async function weighPage(page: Page): Promise<() => Weight> {
  const session: CDPSession = await page.context().newCDPSession(page)
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
