import type { IncomingHttpHeaders } from 'node:http'
import type { Dispatcher } from 'undici'

/** A service's answer, read to its end. */
export interface WholeAnswer {
  readonly statusCode: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/** One call by undici's own interface: no stream and no signal is made for an answer that comes in one piece. */
export function askPool(pool: Dispatcher, options: Dispatcher.DispatchOptions): Promise<WholeAnswer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let [statusCode, headers]: [number, IncomingHttpHeaders] = [0, {}]
    pool.dispatch(options, {
      // Nothing to do, and asked for all the same.
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
