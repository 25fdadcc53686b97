import { once } from 'node:events'
import { createServer } from 'node:http'
import type { Server } from 'node:net'
import { parseJson } from './json-client.ts'

export interface JsonRequest {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: unknown
  readonly rawBody: Buffer
  /** Tells connections apart. */
  readonly remotePort: number | undefined
}

/** An answer: JSON, or a text unchanged. `hang` never answers, `reset` cuts the connection. */
export type JsonReply = { readonly status: number; readonly body?: unknown } | 'hang' | 'reset'

export type JsonServer = Awaited<ReturnType<typeof startJsonServer>>

/** A promise holds the answer back until it resolves. */
type Reply = (request: JsonRequest) => JsonReply | Promise<JsonReply>

const MAX_BODY_BYTES = 1024 * 1024

/** Another service over real HTTP, whose answers the test decides. Listens on a free port of 127.0.0.1 unless told otherwise. */
export async function startJsonServer(first: Reply, { host = '127.0.0.1', port = 0 } = {}) {
  let reply = first
  const requests: JsonRequest[] = []
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = []
    let bytes = 0
    incoming.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > MAX_BODY_BYTES) incoming.destroy()
      else chunks.push(chunk)
    })
    const respond = async (): Promise<void> => {
      const { pathname, searchParams } = new URL(incoming.url ?? '/', 'http://localhost')
      const rawBody = Buffer.concat(chunks)
      const { method = '', headers } = incoming
      const { remotePort } = incoming.socket
      const request = {
        method,
        path: pathname,
        query: searchParams,
        headers,
        body: parseJson(rawBody.toString('utf8')),
        rawBody,
        remotePort,
      }
      requests.push(request)
      const answer = await reply(request)
      if (answer === 'hang') return
      if (answer === 'reset') {
        incoming.socket.destroy()
        return
      }
      response.writeHead(answer.status, { 'content-type': 'application/json' })
      response.end(typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body ?? {}))
    }
    incoming.on('end', () => void respond())
  })
  return {
    url: `http://${host}:${await listen(server, port, host)}`,
    requests: requests as readonly JsonRequest[],
    /** Sets the answers from now on. */
    answer(next: Reply): void {
      reply = next
    },
    async stop(): Promise<void> {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

/** Resolves to the port, a free one by default, when the server listens; rejects when it cannot. */
export async function listen(server: Server, port = 0, host = '127.0.0.1'): Promise<number> {
  server.listen(port, host)
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('a listening server has an address')
  return address.port
}
