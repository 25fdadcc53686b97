import type { HttpAnswer, Network } from '../kernel/network.ts'
import { currentProcess } from '../kernel/process.ts'

export interface Call {
  readonly method: string
  readonly host: string
  readonly port: number
  readonly path: string
  readonly bearer?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | object
  readonly timeoutMs?: number
}

/** What an actor learns of its call; `undefined` when there was no answer in time. */
export type Answer = HttpAnswer | undefined

/** Calls a service as an actor. Never rejects. */
export async function call(network: Network, options: Call): Promise<Answer> {
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
