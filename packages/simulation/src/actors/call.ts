import type { HttpAnswer, HttpRequest, Network } from '../kernel/network.ts'
import { currentProcess } from '../kernel/process.ts'

interface Call extends Omit<HttpRequest, 'headers' | 'body'> {
  readonly bearer?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | object
  readonly timeoutMs?: number
}

/** Calls a service as an actor. Never rejects: `undefined` when there was no answer in time. */
export async function call(network: Network, options: Call): Promise<HttpAnswer | undefined> {
  const { method, host, port, path, bearer, headers, body, timeoutMs = 5000 } = options
  const process = currentProcess()
  if (!process) throw new Error('only a simulated process calls')
  const sent = {
    ...{ method, host, port, path },
    headers: {
      ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    body: typeof body === 'object' ? JSON.stringify(body) : (body ?? ''),
  }
  return network.request(process, sent, timeoutMs).catch(() => undefined)
}
