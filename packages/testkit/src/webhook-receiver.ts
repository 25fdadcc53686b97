import { once } from 'node:events'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'
import { issueServerCertificate, type KeyAndCertificate } from './certificates.ts'
import { eventually } from './eventually.ts'
import { listen } from './json-server.ts'

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

export type WebhookReceiver = Awaited<ReturnType<typeof startWebhookReceiver>>

/** A merchant's HTTPS server, by default on 127.0.0.1, with a certificate of the given authority. It answers 200 by default. */
export async function startWebhookReceiver(options: {
  ca: KeyAndCertificate
  /** Names and addresses in the certificate. */
  hosts?: readonly string[]
  port?: number
  /** The address it listens on: for a sender in a container, one that the container can reach. */
  listenOn?: string
}) {
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
  const listening = await listen(server, port, listenOn)

  return {
    /** `https://<first host>:<port>` */
    url: `https://${hosts[0] ?? 'localhost'}:${listening}`,
    port: listening,
    /** Oldest first. */
    requests: (): readonly ReceivedWebhook[] => [...requests],
    respondWith(next: RespondTo): void {
      respond = next
    },
    /** Waits for the first request that fits; throws after the deadline. */
    waitFor: (predicate: (request: ReceivedWebhook) => boolean, deadlineMs = 30_000): Promise<ReceivedWebhook> =>
      eventually(
        () => {
          const found = requests.find(predicate)
          if (!found) throw new Error(`none of ${requests.length} webhooks is the expected one`)
          return found
        },
        { deadlineMs },
      ),
    /** Clears `requests`. */
    clear(): void {
      requests.length = 0
    },
    /** The number of TLS connections so far, so that a test sees whether they are kept alive. */
    get connections() {
      return connections
    },
    async stop(): Promise<void> {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

/** Where `startWebhookReceiver` has to listen, and for which hosts its certificate is, so that a dispatcher reaches the URL. */
export function receiverAddressFor(webhookUrl: string): { hosts: readonly string[]; listenOn: string } {
  const { hostname } = new URL(webhookUrl)
  if (['localhost', '127.0.0.1'].includes(hostname)) return { hosts: ['localhost', '127.0.0.1'], listenOn: '127.0.0.1' }
  // A dispatcher in a container connects over a bridge, so the server listens on every address.
  return { hosts: [hostname, 'localhost', '127.0.0.1'], listenOn: '0.0.0.0' }
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
