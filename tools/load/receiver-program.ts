/**
 * The merchants' servers: HTTPS on a port for each endpoint, so that every endpoint is an origin with connections of its own.
 * They acknowledge at once and note when each webhook arrived.
 */
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import { issueServerCertificate, type KeyAndCertificate } from '@gateway/testkit/certificates'
import { serveCommands } from './program.ts'
import type { Arrival } from './statistics.ts'

export type ReceiverCommand =
  | { readonly kind: 'listen'; readonly ca: KeyAndCertificate; readonly endpoints: number }
  | { readonly kind: 'count' | 'take' }
  | { readonly kind: 'missing'; readonly eventIds: readonly string[] }
  | { readonly kind: 'hang'; readonly endpoints: readonly number[] }

export interface ReceiverCounts {
  /** Different events since the last `take`. */
  readonly unique: number
  /** Arrivals of events that had arrived before. */
  readonly repeated: number
  /** Requests that were never answered since the endpoints were told to hang. */
  readonly hung: number
}

export interface ReceiverAnswer extends ReceiverCounts {
  readonly urls: readonly string[]
  readonly missing: readonly string[]
  readonly arrivals: readonly Arrival[]
}

const ANSWER = JSON.stringify({ received: true })
const ANSWER_HEADERS = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(ANSWER) }

let arrivals: Arrival[] = []
let seen = new Set<string>()
let hanging = new Set<number>()
let hung = 0

serveCommands<ReceiverCommand, ReceiverAnswer>(async (command) => {
  const answer = { unique: seen.size, repeated: arrivals.length - seen.size, hung, urls: [], missing: [], arrivals: [] }
  switch (command.kind) {
    case 'listen':
      return { ...answer, urls: await listen(command.ca, command.endpoints) }
    case 'count':
      return answer
    case 'missing':
      return { ...answer, missing: command.eventIds.filter((id) => !seen.has(id)) }
    case 'hang':
      hanging = new Set(command.endpoints)
      hung = 0
      return answer
    case 'take': {
      const taken = arrivals
      arrivals = []
      seen = new Set()
      return { ...answer, arrivals: taken }
    }
  }
})

async function listen(ca: KeyAndCertificate, endpoints: number): Promise<string[]> {
  const certificate = await issueServerCertificate({ ca, hosts: ['localhost', '127.0.0.1'] })
  const listening = Array.from({ length: endpoints }, async (_, endpoint) => {
    const server = createServer({ ...certificate, keepAliveTimeout: 60_000 }, (request, response) => {
      receive(endpoint, request, response)
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    if (address === null || typeof address === 'string') throw new Error('a listening server has an address')
    return `https://localhost:${address.port}/webhooks`
  })
  return Promise.all(listening)
}

function receive(endpoint: number, request: IncomingMessage, response: ServerResponse): void {
  request.resume().once('end', () => {
    if (hanging.has(endpoint)) {
      hung += 1
      return
    }
    response.writeHead(200, ANSWER_HEADERS).end(ANSWER)
    const id = String(request.headers['webhook-id'])
    seen.add(id)
    arrivals.push([id, performance.timeOrigin + performance.now()])
  })
}
