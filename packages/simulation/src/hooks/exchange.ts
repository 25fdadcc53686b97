import type { Dispatcher } from 'undici'
import type { ClientRequest, Exchange, ExchangeLimits } from '@gateway/service-kit/http-client'
import { theEngines } from './engines.ts'

/** In place of service-kit's exchanges: those of the simulated network, with the caller's deadline. */
export function exchange(
  _dispatcher: unknown,
  { origin, method, path, headers, body }: Dispatcher.DispatchOptions,
  { timeoutMs = 60_000 }: ExchangeLimits,
): Promise<Exchange> {
  const { network, process } = theEngines()
  const { hostname, port } = new URL(String(origin))
  const told = { method, path, headers: headers as Record<string, string>, body: textOf(body) }
  return network.request(process, { ...told, host: hostname, port: Number(port) }, timeoutMs).then(
    ({ status, body: text }) => ({ statusCode: status, headers: {}, body: Buffer.from(text), error: undefined }),
    (error: unknown) => ({
      statusCode: null,
      headers: {},
      body: Buffer.alloc(0),
      error: error instanceof Error ? error : new Error(String(error)),
    }),
  )
}

/** In place of the sender to the network's connector. */
export const sendWithAxios = () => (request: ClientRequest, limits: ExchangeLimits) => exchange(undefined, request, limits)

function textOf(body: unknown): string {
  return Buffer.isBuffer(body) ? body.toString('utf8') : typeof body === 'string' ? body : ''
}
