import type { IncomingHttpHeaders } from 'node:http'
import type { Dispatcher } from 'undici'

/** A service's answer with its whole body in memory. */
export interface BufferedAnswer {
  readonly statusCode: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/**
 * Sends one request and reads the whole answer. It uses undici's low-level `dispatch`, which creates neither a stream nor an
 * abort signal: that is cheaper for small answers. Rejects with undici's error.
 */
export function dispatchBuffered(pool: Dispatcher, options: Dispatcher.DispatchOptions): Promise<BufferedAnswer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let [statusCode, headers]: [number, IncomingHttpHeaders] = [0, {}]
    pool.dispatch(options, {
      // undici requires this handler even when it has nothing to do.
      onRequestStart: () => undefined,
      onResponseStart(_controller, status, received) {
        statusCode = status
        headers = received
      },
      onResponseData: (_controller, chunk) => void chunks.push(chunk),
      onResponseEnd() {
        const [only] = chunks
        resolve({ statusCode, headers, body: chunks.length === 1 && only ? only : Buffer.concat(chunks) })
      },
      onResponseError: (_controller, error) => {
        reject(error)
      },
    })
  })
}
