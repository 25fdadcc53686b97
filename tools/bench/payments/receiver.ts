/** All merchants' webhook receiver: a program of its own that acknowledges at once and remembers what came when. */
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { once } from 'node:events'
import type { KeyAndCertificate } from '@gateway/testkit'
import { serveCommands } from './program.ts'

export type ReceiverCommand =
  | { readonly kind: 'listen'; readonly certificate: KeyAndCertificate }
  | { readonly kind: 'count' }
  | { readonly kind: 'missing'; readonly eventIds: readonly string[] }
  /** All arrivals so far, and forgets them. */
  | { readonly kind: 'take' }

export interface ReceiverAnswer {
  readonly port?: number
  /** Different events since the last `take`. */
  readonly count: number
  readonly repeated: number
  readonly missing?: readonly string[]
  /** Event id and when it came first, in milliseconds since 1970. */
  readonly arrivals?: readonly (readonly [string, number])[]
}

const arrivals = new Map<string, number>()
let repeated = 0
let port = 0

serveCommands<ReceiverCommand, ReceiverAnswer>(async (command) => {
  switch (command.kind) {
    case 'listen':
      port = await listen(command.certificate)
      return { ...counts(), port }
    case 'count':
      return counts()
    case 'missing':
      return { ...counts(), missing: command.eventIds.filter((id) => !arrivals.has(id)) }
    case 'take': {
      const answer = { ...counts(), arrivals: [...arrivals] }
      arrivals.clear()
      repeated = 0
      return answer
    }
  }
})

function counts() {
  return { count: arrivals.size, repeated }
}

async function listen(certificate: KeyAndCertificate): Promise<number> {
  const server = createServer({ ...certificate, keepAliveTimeout: 60_000 }, (request, response) => {
    const id = String(request.headers['webhook-id'])
    if (arrivals.has(id)) repeated += 1
    else arrivals.set(id, performance.timeOrigin + performance.now())
    request.resume()
    response.writeHead(200, { 'content-length': 0 }).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // A TCP server's address is never a pipe's name.
  return (server.address() as AddressInfo).port
}
