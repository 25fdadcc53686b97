import { createServer } from 'node:http'

export interface ProxiedRequest {
  readonly method: string
  /** Path with query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface ProxiedResponse {
  readonly status: number
  readonly body: string
}

/** Handles a request; `pass` forwards it and returns the real answer. */
export type Tamper = (
  request: ProxiedRequest,
  pass: (request: ProxiedRequest) => Promise<ProxiedResponse>,
) => Promise<ProxiedResponse>

export interface TamperingProxy {
  readonly url: string
  /** Sets how requests are handled from now on. */
  tamper(how: Tamper): void
  stop(): Promise<void>
}

export const honest: Tamper = (request, pass) => pass(request)

/** Starts a proxy in front of an HTTP server. It forwards requests unchanged until `tamper` is called. */
export async function startTamperingProxy(target: () => string): Promise<TamperingProxy> {
  let how = honest
  const pass = async ({ method, path, headers, body }: ProxiedRequest): Promise<ProxiedResponse> => {
    const answer = await fetch(new URL(path, target()), { method, headers, ...(method === 'GET' ? {} : { body }) })
    return { status: answer.status, body: await answer.text() }
  }
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.on('end', () => {
      const { method = '', url: path = '/' } = incoming
      const request = { method, path, headers: headersOf(incoming.headers), body: Buffer.concat(chunks).toString('utf8') }
      how(request, pass)
        .then(({ status, body }) => response.writeHead(status, { 'content-type': 'application/json' }).end(body))
        .catch(() => incoming.socket.destroy())
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('a listening server has an address')
  return {
    url: `http://127.0.0.1:${address.port}`,
    tamper: (next) => {
      how = next
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** The headers that belong to the message, not to its connection. */
function headersOf(headers: NodeJS.Dict<string | string[]>): Record<string, string> {
  const kept = ['authorization', 'content-type', 'idempotency-key', 'webhook-id', 'webhook-timestamp', 'webhook-signature']
  return Object.fromEntries(kept.flatMap((name) => (headers[name] === undefined ? [] : [[name, String(headers[name])]])))
}
