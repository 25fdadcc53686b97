import type { IncomingHttpHeaders } from 'node:http'
import type { Dispatcher } from 'undici'

/** One service that the gateway forwards to, over kept-alive connections. Why undici and not axios: docs/adr/0002. */
export interface Upstream {
  readonly name: string
  /** Resolves when the answer's headers are here; the body is a stream. Throws `Unavailable`. */
  request(request: UpstreamRequest): Promise<Dispatcher.ResponseData>
  /** Resolves with the whole answer in memory. Cheaper than `request` for small answers; throws the same errors. */
  requestBuffered(request: BufferedRequest): Promise<BufferedAnswer>
  /** True when `GET /healthz` answers 200; called at most once a second. */
  isUp(): Promise<boolean>
  close(): Promise<void>
}

/** A service's answer with its whole body in memory. */
export interface BufferedAnswer {
  readonly statusCode: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

export interface UpstreamRequest {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer | null
  /** Sending the request twice has the same effect as sending it once. */
  readonly repeatable: boolean
  readonly signal: AbortSignal
  /** How long the upstream may take until its answer begins. */
  readonly timeoutMs?: number
  /** The longest pause between two pieces of the answer; 0 is no limit, for event streams. */
  readonly bodyTimeoutMs?: number
}

/** A repeatable call that is not cancelled when the gateway's caller disconnects. */
export type BufferedRequest = Pick<UpstreamRequest, 'path' | 'headers' | 'timeoutMs'> & {
  readonly method: 'POST'
  readonly body: Buffer
}
