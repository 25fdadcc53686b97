import type { Dispatcher } from 'undici'
import type { Exchange, ExchangeLimits } from '@gateway/service-kit/http-client'
import { theEngines } from './engines.ts'

/** In place of service-kit's exchanges: those of the simulated network, with the caller's deadline. */
export function exchange(
  _dispatcher: unknown,
  { origin, method, path, headers, body }: Dispatcher.DispatchOptions,
  { timeoutMs }: ExchangeLimits,
): Promise<Exchange> {
  const { network, process } = theEngines()
  const { hostname, port } = new URL(String(origin))
  const told = { method, path, headers: headers as Record<string, string>, body: textOf(body) }
  const answered = network.request(process, { ...told, host: hostname, port: Number(port) })
  const nothing = { statusCode: null, headers: {}, body: Buffer.alloc(0) }
  const { promise: late, resolve } = Promise.withResolvers<Exchange>()
  const timer = setTimeout(() => resolve({ ...nothing, error: TIMED_OUT }), timeoutMs)
  const ended = answered.then(
    ({ status, body: text }): Exchange => ({ statusCode: status, headers: {}, body: Buffer.from(text), error: undefined }),
    (error: unknown): Exchange => ({ ...nothing, error: error instanceof Error ? error : new Error(String(error)) }),
  )
  return Promise.race([ended, late]).finally(() => clearTimeout(timer))
}

function textOf(body: unknown): string {
  return Buffer.isBuffer(body) ? body.toString('utf8') : typeof body === 'string' ? body : ''
}

const TIMED_OUT = Object.assign(new Error('no answer'), { code: 'ETIMEDOUT' })
