import { createServer } from 'node:https'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { issueServerCertificate, type KeyAndCertificate } from '@gateway/testkit/certificates'

/**
 * The merchants' servers, in a process of their own (its parent is `receiver-process.ts`): HTTPS on a port for each endpoint,
 * so that every endpoint is an origin with connections of its own, as merchants are. It counts what it acknowledges by `webhook-id`.
 */
export interface ReceiverOptions {
  readonly ca: KeyAndCertificate
  readonly endpoints: number
}

export type Question =
  { readonly ask: 'progress' } | { readonly ask: 'take' } | { readonly ask: 'hang'; readonly endpoints: number[] }

export interface Progress {
  /** Different webhooks that were acknowledged since the last `take`. */
  readonly unique: number
  /** Acknowledged requests, repeats included. */
  readonly total: number
  /** Requests that were never answered, since the endpoints were told to hang. */
  readonly hung: number
}

/** One entry of each for every acknowledged request, in order. */
export interface Arrivals {
  readonly ids: string[]
  /** When the answer was handed over, in milliseconds since 1970, with fractions. */
  readonly at: number[]
}

const ANSWER = JSON.stringify({ received: true })
const ANSWER_HEADERS = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(ANSWER) }

let arrivals: Arrivals = { ids: [], at: [] }
let seen = new Set<string>()
let hung = 0
let hanging = new Set<number>()

function receive(endpoint: number, request: IncomingMessage, response: ServerResponse): void {
  request.resume().once('end', () => {
    if (hanging.has(endpoint)) {
      hung += 1
      return
    }
    response.writeHead(200, ANSWER_HEADERS).end(ANSWER)
    const id = String(request.headers['webhook-id'])
    seen.add(id)
    arrivals.ids.push(id)
    arrivals.at.push(performance.timeOrigin + performance.now())
  })
}

function answerTo(question: Question): Progress | Arrivals {
  const progress: Progress = { unique: seen.size, total: arrivals.ids.length, hung }
  if (question.ask === 'progress') return progress
  if (question.ask === 'hang') {
    hanging = new Set(question.endpoints)
    hung = 0
    return progress
  }
  const taken = arrivals
  arrivals = { ids: [], at: [] }
  seen = new Set()
  return taken
}

async function listen({ ca, endpoints }: ReceiverOptions): Promise<string[]> {
  const certificate = await issueServerCertificate({ ca, hosts: ['localhost'] })
  const listening = Array.from({ length: endpoints }, async (_, endpoint) => {
    const server = createServer({ ...certificate, keepAliveTimeout: 60_000 }, (request, response) =>
      receive(endpoint, request, response),
    )
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    if (address === null || typeof address === 'string') throw new Error('a listening server has an address')
    return `https://localhost:${address.port}/webhooks`
  })
  return Promise.all(listening)
}

process.once('message', (options: ReceiverOptions) => {
  void listen(options).then((urls) => {
    process.on('message', (question: Question) => process.send?.(answerTo(question)))
    process.send?.(urls)
  })
})
process.once('disconnect', () => process.exit())
