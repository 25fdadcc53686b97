import { rawBodyOf, type NodeRequest } from './raw-body.ts'
import { createReport } from './report.ts'
import { bodyTooLong, createReceiver as createCore, type ReceiverOptions, type ReceiverStatus } from './receiver.ts'

export type { NodeRequest } from './raw-body.ts'

/** The part that the receiver uses of a response of Express, Connect or `node:http`. */
export interface NodeResponse {
  statusCode: number
  setHeader(name: string, value: string): unknown
  end(whenSent?: () => void): unknown
}

export type NodeHandler = (request: NodeRequest, response: NodeResponse, next?: (error?: unknown) => void) => void

/**
 * A webhook receiver for Express 4 and 5, Connect, Nest, Firebase or `node:http`. It reads the body itself: register it before
 * `express.json()`, or keep the bytes as `request.rawBody`. A body that was parsed already goes to `next` as an error that says so.
 *
 * @example
 * import { createReceiver } from '@gateway/sdk/express'
 * app.post('/webhooks', createReceiver({ gateway, secrets, store, onFinal: (order) => release(order) }))
 * app.use(express.json())
 */
export function createReceiver(options: ReceiverOptions): NodeHandler {
  const receiver = createCore(options)
  const report = createReport(options.onError)
  const answer = async (request: NodeRequest): Promise<ReceiverStatus> => {
    const body = await rawBodyOf(request)
    if (body !== undefined) return receiver.handle(body, request.headers)
    report(bodyTooLong())
    return 413
  }
  return (request, response, next) => {
    answer(request)
      .then((status) => end(request, response, status))
      .catch((error: unknown) => {
        if (next) {
          next(error)
          return
        }
        report(error)
        end(request, response, 500)
      })
  }
}

function end(request: NodeRequest, response: NodeResponse, status: ReceiverStatus): void {
  response.statusCode = status
  if (status !== 413) {
    response.end()
    return
  }
  // The rest of the body is not read: the connection ends with the answer.
  response.setHeader('connection', 'close')
  response.end(() => request.destroy?.())
}
