import axios, { isAxiosError, type AxiosInstance } from 'axios'
import { neighbourHeaders } from '@gateway/service-kit'

/** An axios for one neighbour: no redirects, no proxy of the environment, bounded answers, every status an answer. */
export function createHttpClient(options: {
  baseUrl: string
  bearer: string
  timeoutMs: number
  maxAnswerBytes: number
}): AxiosInstance {
  const client = axios.create({
    baseURL: options.baseUrl,
    headers: { authorization: `Bearer ${options.bearer}` },
    timeout: options.timeoutMs,
    maxContentLength: options.maxAnswerBytes,
    maxRedirects: 0,
    proxy: false,
    validateStatus: () => true,
  })
  client.interceptors.request.use((request) => {
    // axios' own limit begins anew with every byte; this one holds for the whole exchange.
    request.signal ??= AbortSignal.timeout(options.timeoutMs)
    request.headers.set(neighbourHeaders())
    return request
  })
  return client
}

/** All that may be told of a failed call whose request must not be seen: axios' errors carry it whole. */
export function codeOf(error: unknown): string {
  return (isAxiosError(error) ? error.code : undefined) ?? 'unknown'
}
