import { once } from 'node:events'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'
import { issueServerCertificate, type KeyAndCertificate } from './certificates.ts'
import { eventually } from './eventually.ts'

export { receiverAddressFor } from './receiver-address.ts'

/** One request as it came in. */
export interface ReceivedWebhook {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  /** The exact bytes, for the signature. */
  readonly body: Buffer
  readonly receivedAt: Date
}

/** How the merchant answers. */
export interface WebhookReply {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Buffer
  /** Waits this long before the status line. */
  readonly delayMs?: number
  /** Breaks the connection instead of answering. */
  readonly destroy?: boolean
  /** Sends status and body, then keeps the answer open. */
  readonly neverEnd?: boolean
}

/** @param n the number of the request, from 1 */
export type RespondTo = (request: ReceivedWebhook, n: number) => WebhookReply | Promise<WebhookReply>

export interface WebhookReceiver {
  /** `https://<first host>:<port>` */
  readonly url: string
  readonly port: number
  /** Oldest first. */
  requests(): readonly ReceivedWebhook[]
  respondWith(respond: RespondTo): void
  /** Waits for the first request that fits; throws after the deadline. */
  waitFor(predicate: (request: ReceivedWebhook) => boolean, deadlineMs?: number): Promise<ReceivedWebhook>
  /** Clears `requests`. */
  clear(): void
  /** The number of TLS connections so far, so that a test sees whether they are kept alive. */
  readonly connections: number
  stop(): Promise<void>
}

/** A merchant's HTTPS server, by default on 127.0.0.1, with a certificate of the given authority. It answers 200 by default. */
export async function startWebhookReceiver(options: {
  ca: KeyAndCertificate
  /** Names and addresses in the certificate. */
  hosts?: readonly string[]
  port?: number
  /** The address it listens on: for a sender in a container, one that the container can reach. */
  listenOn?: string
}): Promise<WebhookReceiver> {
  const { ca, hosts = ['localhost', '127.0.0.1'], port = 0, listenOn = '127.0.0.1' } = options
  const requests: ReceivedWebhook[] = []
  let respond: RespondTo = () => ({ status: 200 })
  let connections = 0

  const server = createServer(await issueServerCertificate({ ca, hosts }), (request, response) => {
    void (async () => {
      const received = await receive(request)
      requests.push(received)
      await answer(response, await respond(received, requests.length))
    })().catch(() => response.destroy())
  })
  server.on('secureConnection', () => (connections += 1))
  server.listen(port, listenOn)
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('a listening server has an address')

  return {
    url: `https://${hosts[0] ?? 'localhost'}:${address.port}`,
    port: address.port,
    requests: () => [...requests],
    respondWith: (next) => {
      respond = next
    },
    waitFor: (predicate, deadlineMs = 30_000) =>
      eventually(
        () => {
          const found = requests.find(predicate)
          if (!found) throw new Error(`none of ${requests.length} webhooks is the expected one`)
          return found
        },
        { deadlineMs },
      ),
    clear: () => {
      requests.length = 0
    },
    get connections() {
      return connections
    },
    async stop() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

async function receive(request: IncomingMessage): Promise<ReceivedWebhook> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(Buffer.from(chunk as Uint8Array))
  const { method = '', url: path = '', headers } = request
  return { method, path, headers, body: Buffer.concat(chunks), receivedAt: new Date() }
}

async function answer(response: ServerResponse, reply: WebhookReply): Promise<void> {
  if (reply.delayMs !== undefined) await sleep(reply.delayMs, undefined, { ref: false })
  if (reply.destroy === true) return void response.destroy()
  response.writeHead(reply.status, reply.headers)
  if (reply.neverEnd === true) return void response.write(reply.body ?? ' ')
  response.end(reply.body)
}
