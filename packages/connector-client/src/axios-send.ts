import { Agent } from 'node:http'
import { Agent as TlsAgent } from 'node:https'
import axios, { AxiosError, isAxiosError } from 'axios'
import { ANSWER_TOO_LONG, type Exchange, type Send } from '@gateway/service-kit/http-client'

const IDLE_MS = 30_000
const NO_ANSWER = { statusCode: null, headers: {}, body: Buffer.alloc(0) } as const

export interface AxiosSendOptions {
  /** Connections at a time; further calls wait for one. */
  readonly maxSockets: number
  /** Whether `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` of the environment count. */
  readonly usesProxy: boolean
}

/**
 * Sends with axios (ADR 18): kept-alive connections, no redirects, no decompression, the bytes as they are. The simulation replaces
 * this module.
 */
export function sendWithAxios({ maxSockets, usesProxy }: AxiosSendOptions): Send {
  const pool = { keepAlive: true, maxSockets, timeout: IDLE_MS }
  const client = axios.create({
    adapter: 'http',
    httpAgent: new Agent(pool),
    httpsAgent: new TlsAgent(pool),
    ...(!usesProxy && { proxy: false as const }),
    maxRedirects: 0,
    decompress: false,
    responseType: 'arraybuffer',
    transformRequest: (body: unknown) => body,
    validateStatus: () => true,
  })
  return async ({ origin, path, method, headers, body }, { timeoutMs, maxAnswerBytes }): Promise<Exchange> => {
    // axios' own timeout is one of silence: an answer that drips would never end.
    const deadline = new AbortController()
    const timer = setTimeout(() => deadline.abort(), timeoutMs)
    const { signal } = deadline
    try {
      // By default axios names a type for a body that is none.
      const named = { 'content-type': false, ...headers }
      const request = { url: origin + path, method, headers: named, data: body, signal, maxContentLength: maxAnswerBytes }
      const { status, data } = await client.request<Buffer>(request)
      return { statusCode: status, headers: {}, body: data, error: undefined }
    } catch (error) {
      return { ...NO_ANSWER, error: withCode(signal.aborted ? 'ETIMEDOUT' : codeOf(error)) }
    } finally {
      clearTimeout(timer)
    }
  }
}

/** An error of axios holds the request with its key and perhaps a card: only its code leaves this module. */
function withCode(code: string): Error {
  return Object.assign(new Error('no answer'), { code })
}

function codeOf(error: unknown): string {
  if (!isAxiosError(error)) return 'unknown'
  if (error.code !== AxiosError.ERR_BAD_RESPONSE) return error.code ?? 'unknown'
  // axios gives one code to two failures: an answer that broke off has a response, one that is too long has none.
  return error.response ? 'ECONNRESET' : ANSWER_TOO_LONG
}
