/**
 * The merchants' webhook servers, in a process of their own: HTTPS on a port for each endpoint, so that every endpoint is an origin
 * with connections of its own. They acknowledge at once and note when each webhook arrived.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'
import { readAuthority, type Stack } from '@gateway-infra/local/stack-file'
import { issueServerCertificate } from '@gateway/testkit/certificates'
import { listen } from '@gateway/testkit/json-server'
import { openProgram, serveProgram, type Program } from './program.ts'
import type { Arrival } from './statistics.ts'

export interface Receiver extends Program<typeof functions> {
  /** Where each endpoint wants its webhooks. */
  readonly urls: readonly string[]
}

/** The authority that signs the certificates of the servers. */
export type Authority = Pick<Stack, 'ca_file' | 'ca_key_file'>

export async function openReceiver({ ca_file, ca_key_file }: Authority, endpoints = 1): Promise<Receiver> {
  const program = openProgram<typeof functions>(import.meta.filename)
  return { ...program, urls: await program.call('listen', { ca_file, ca_key_file }, endpoints) }
}

const LOOK_EVERY_MS = 50

/** Waits until the receiver has every one of these events, or until the deadline. `missing` are those that have not arrived by then. */
export async function untilSettled(receiver: Receiver, eventIds: readonly string[], deadlineMs: number) {
  const startedMs = performance.now()
  for (;;) {
    const afterMs = performance.now() - startedMs
    // Counting is cheap; missing events are looked up only when the count can be complete, or at the end.
    if ((await receiver.call('counts')).unique >= eventIds.length || afterMs > deadlineMs) {
      const missing = await receiver.call('missing', eventIds)
      if (missing.length === 0 || afterMs > deadlineMs) return { afterMs, missing }
    }
    await sleep(LOOK_EVERY_MS)
  }
}

const ANSWER = JSON.stringify({ received: true })
const ANSWER_HEADERS = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(ANSWER) }

let [arrivals, seen, hanging, hung]: [Arrival[], Set<string>, Set<number>, number] = [[], new Set(), new Set(), 0]

const functions = {
  listen: openServers,
  /** Since the last `take`; `repeated` had arrived before. `hung` were never answered since endpoints were told to hang. */
  counts: () => ({ unique: seen.size, repeated: arrivals.length - seen.size, hung }),
  /** Those of `eventIds` that have not arrived since the last `take`. */
  missing: (eventIds: readonly string[]) => eventIds.filter((id) => !seen.has(id)),
  /** Every arrival since the last call, in order; counting begins anew. */
  take() {
    const taken = arrivals
    ;[arrivals, seen] = [[], new Set()]
    return taken
  },
  /** From now on these endpoints never answer; all others do. */
  hang(endpoints: readonly number[]) {
    ;[hanging, hung] = [new Set(endpoints), 0]
  },
}

async function openServers(authority: Authority, endpoints: number): Promise<string[]> {
  const certificate = await issueServerCertificate({ ca: readAuthority(authority), hosts: ['localhost', '127.0.0.1'] })
  const listening = Array.from({ length: endpoints }, async (_, endpoint) => {
    const server = createServer({ ...certificate, keepAliveTimeout: 60_000 }, (request, response) => {
      receive(endpoint, request, response)
    })
    return `https://localhost:${await listen(server)}/webhooks`
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

serveProgram(import.meta.filename, functions)
