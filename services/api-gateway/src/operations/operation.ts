import type { JsonSchema } from '@gateway/contracts'
import type { MerchantUpstream, UpstreamName } from '../clients/upstreams.ts'
import type { Rate } from '../use-cases/admit-strangers.ts'
import type { ShareName } from '../use-cases/share-upstreams.ts'

export type Method = 'DELETE' | 'GET' | 'POST' | 'PUT'

/** What merchants read about an operation. The OpenAPI document, the reference and the SDK's types are made from it. */
interface Described {
  /** As OpenAPI writes it, such as `/api/v1/refunds/{id}`. */
  readonly path: string
  readonly summary: string
  readonly description: string
  readonly tag: string
  /** The schema of `{id}` in the path; any text without it. */
  readonly id?: JsonSchema
  readonly query?: QuerySchema
  readonly optionalHeaders?: Readonly<Record<string, JsonSchema>>
  readonly request?: JsonSchema | ((options: { sandbox: boolean }) => JsonSchema)
  /** A request body that the operation accepts. */
  readonly example?: JsonSchema
  /** Schemas of the successful answers by status; `null` when the body is not described. */
  readonly answers: Readonly<Record<number, JsonSchema | null>>
  /** The successful answer can also be a table, which this text describes. */
  readonly csv?: string
  /** Error statuses beside those of every operation, of tokens (401, 403) and of schemas (422). */
  readonly refusals?: readonly number[]
}

interface QuerySchema {
  readonly required?: readonly string[]
  readonly properties: Readonly<Record<string, JsonSchema>>
}

interface Forwarded {
  readonly rate: Rate
  /** Sending the request twice has the same effect as once, so it may be sent again after a broken connection. */
  readonly repeatable: boolean
  /** Added to the usual timeout, because the service itself waits for another party. In milliseconds. */
  readonly extraTimeoutMs?: number
  /** Bounds how many of them a caller has at the service; `calls` without it. */
  readonly share?: ShareName
  /** The answer is a stream of events without end. Ended when the credential is revoked. */
  readonly stream?: boolean
  /** `sandbox`: forwarded in the sandbox only; `simulator`: only where a network simulator is configured. */
  readonly only?: 'sandbox' | 'simulator'
}

/** `to`: the service that answers. A bearer token is required. */
interface FromMerchant {
  readonly to: MerchantUpstream
  readonly caller: 'merchant'
}

/** The rate limit counts by address. */
interface FromAnyone {
  readonly to: UpstreamName
  readonly caller: 'anyone'
}

/** The service checks a signature. */
interface FromNetwork {
  readonly to: UpstreamName
  readonly caller: 'network'
}

/** Always forwarded through Express. */
type Cold = { readonly method: Method; readonly hot?: false } & (FromMerchant | FromAnyone | FromNetwork)

/**
 * Forwarded by the hot proxy when the request is ordinary (`hot-proxy.ts`); otherwise through Express. `POST` only, and only the
 * payment path (docs/adr/0009).
 */
type Hot = { readonly method: 'POST'; readonly hot: true; readonly repeatable: true } & (FromMerchant | FromNetwork)

/** One operation of the public API (design, sections 2 and 5). */
export type Operation = Described & Forwarded & (Cold | Hot)
export type HotOperation = Described & Forwarded & Hot

/** By operation id. */
export type Operations = Readonly<Record<string, Operation>>
