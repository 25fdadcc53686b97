import type { AxiosAdapter } from 'axios'
import { NoAnswer } from '../kernel/network.ts'
import { theEngines } from './engines.ts'

/** In place of axios' HTTP adapter: exchanges of the simulated network, with the caller's deadline. */
export const simulatedAdapter: AxiosAdapter = async (config) => {
  const { network, process } = theEngines()
  const url = new URL(`${config.baseURL ?? ''}${config.url ?? ''}`)
  for (const [name, value] of Object.entries((config.params ?? {}) as Record<string, string>)) url.searchParams.set(name, value)
  const headers = Object.fromEntries(
    Object.entries(config.headers.toJSON()).map(([name, value]) => [name.toLowerCase(), String(value)]),
  )
  const answered = network.request(process, {
    method: (config.method ?? 'get').toUpperCase(),
    host: url.hostname,
    port: Number(url.port),
    path: url.pathname + url.search,
    headers,
    body: typeof config.data === 'string' ? config.data : '',
  })
  const { status, body: data } = await orAborted(answered, config.signal as AbortSignal | undefined).catch((error: unknown) => {
    throw Object.assign(new Error('no answer'), {
      isAxiosError: true,
      code: error instanceof NoAnswer ? error.code : 'ERR_CANCELED',
    })
  })
  return { status, data, statusText: '', headers: {}, config, request: {} }
}

function orAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const abort = (): void => reject(new Error('aborted'))
  signal?.addEventListener('abort', abort, { once: true })
  return Promise.race([work, aborted]).finally(() => signal?.removeEventListener('abort', abort))
}
