import { Agent } from 'node:http'
import { Agent as TlsAgent } from 'node:https'
import axios, { type AxiosInstance } from 'axios'
import { neighbourHeaders } from '@gateway/service-kit'

/**
 * An axios for one neighbour: kept-alive connections, no redirects, no proxy of the environment, answers bounded in size. The
 * time is for the whole exchange: axios' own timeout ends with every byte that comes.
 */
export function createHttpClient(options: { baseUrl: string; bearer: string; timeoutMs: number }): AxiosInstance {
  const client = axios.create({
    baseURL: options.baseUrl,
    timeout: options.timeoutMs,
    headers: { authorization: `Bearer ${options.bearer}` },
    httpAgent: new Agent({ keepAlive: true, maxSockets: 50, timeout: 30_000 }),
    httpsAgent: new TlsAgent({ keepAlive: true, maxSockets: 50, timeout: 30_000 }),
    maxRedirects: 0,
    proxy: false,
    maxContentLength: 1024 * 1024,
    validateStatus: () => true,
  })
  client.interceptors.request.use((request) => {
    request.headers.set(neighbourHeaders())
    request.signal ??= AbortSignal.timeout(options.timeoutMs)
    return request
  })
  return client
}
