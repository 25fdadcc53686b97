import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'

export const credentials = { key_id: `key_sandbox_${'a1'.repeat(12)}`, key_secret: randomBytes(32).toString('base64url') }

export interface FakeRequest {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

export interface FakeServer {
  readonly url: string
  readonly requests: readonly FakeRequest[]
  stop(): Promise<void>
}

/** An HTTP server whose answers the test writes itself, streams included. */
export async function startServer(answer: (request: FakeRequest, response: ServerResponse) => void): Promise<FakeServer> {
  const requests: FakeRequest[] = []
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.on('end', () => {
      const { method = '', url: path = '', headers } = incoming
      const request = { method, path, headers, body: Buffer.concat(chunks).toString('utf8') }
      requests.push(request)
      answer(request, response)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? (address?.port ?? 0) : 0}`,
    requests,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

export function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

export function problem(response: ServerResponse, status: number, code: string): void {
  json(response, status, { status, code, detail: `refused: ${code}`, request_id: 'req-1' })
}
