import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'

/** One request as the fake service received it. */
export interface Seen {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: Buffer
}

/** A real HTTP server that stands in for the services behind the gateway and records its requests. */
export class FakeService {
  readonly seen: Seen[] = []
  readonly url: string
  readonly stop: () => Promise<void>
  /** Ends every exchange that has no answer yet. */
  readonly closeConnections: () => void
  /** Answers every request from the next one on. */
  answer: (request: Seen, response: ServerResponse) => void = answerOk
  /** When set, handles each request before its body is read. */
  intercept: RequestListener | undefined

  static async start(): Promise<FakeService> {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    if (address === null || typeof address === 'string') throw new Error('a listening server has an address')
    const stop = () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
    const service = new FakeService(`http://127.0.0.1:${address.port}`, {
      stop,
      closeConnections: () => server.closeAllConnections(),
    })
    server.on('request', (request, response) => service.handle(request, response))
    return service
  }

  private constructor(url: string, { stop, closeConnections }: Pick<FakeService, 'stop' | 'closeConnections'>) {
    this.url = url
    this.stop = stop
    this.closeConnections = closeConnections
  }

  get last(): Seen {
    const last = this.seen.at(-1)
    if (!last) throw new Error('no request was received')
    return last
  }

  reset(): void {
    this.seen.length = 0
    this.answer = answerOk
    this.intercept = undefined
  }

  private handle(request: IncomingMessage, response: ServerResponse): void {
    if (this.intercept && request.url !== '/healthz') {
      this.intercept(request, response)
      return
    }
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const seen = {
        method: request.method ?? '',
        path: request.url ?? '',
        headers: request.headers,
        body: Buffer.concat(chunks),
      }
      if (seen.path === '/healthz') return void response.end('{}')
      this.seen.push(seen)
      this.answer(seen, response)
    })
  }
}

function answerOk(_request: Seen, response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":true}')
}
