const UNKNOWN_AUTHORITY = 'its certificate is by an authority that this machine does not know; NODE_EXTRA_CA_CERTS can name yours'

/** What each code of a failed connection means, for people. */
const SENTENCES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'the name is unknown',
  EAI_AGAIN: 'the name could not be looked up now',
  EHOSTUNREACH: 'there is no route to that machine',
  ENETUNREACH: 'there is no route to that network',
  EADDRNOTAVAIL: 'this machine has no address to connect from',
  EACCES: 'this machine does not allow the connection',
  EPERM: 'this machine does not allow the connection',
  EMFILE: 'this process has too many open files and connections',
  ETIMEDOUT: 'the connection was not made in time',
  UND_ERR_CONNECT_TIMEOUT: 'the connection was not made in time',
  UND_ERR_HEADERS_TIMEOUT: 'the answer did not begin in time',
  UND_ERR_BODY_TIMEOUT: 'the answer stopped in the middle',
  ECONNRESET: 'the connection was closed before the whole answer',
  ECONNABORTED: 'the connection was closed before the whole answer',
  EPIPE: 'the connection was closed before the whole answer',
  UND_ERR_SOCKET: 'the connection was closed before the whole answer',
  UND_ERR_ABORTED: 'the request was cancelled',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed; NODE_EXTRA_CA_CERTS can name it',
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_AUTHORITY,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'it sends no intermediate certificate, or is by an authority that this machine does not know',
  CERT_HAS_EXPIRED: "its certificate has expired, or this machine's clock is ahead",
  CERT_NOT_YET_VALID: "its certificate is not valid yet, or this machine's clock is behind",
  CERT_REVOKED: 'its certificate was revoked',
  CERT_UNTRUSTED: UNKNOWN_AUTHORITY,
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not speak https: is it http?',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'it does not speak https: is it http?',
  EPROTO: 'it does not speak https: is it http?',
}

const PREFIXES: readonly (readonly [prefix: string, sentence: string])[] = [
  ['HPE_', 'its answer is not HTTP: is it https?'],
  ['ERR_SSL_', 'the TLS handshake failed'],
  ['ERR_TLS_', 'the TLS handshake failed'],
  ['CERT_', 'its certificate is not valid'],
]

/** The code of a failed connection with a sentence for people, such as `nothing listens there (ECONNREFUSED)`. */
export function describeNetworkError(error: unknown): string {
  const code = networkCodeOf(error)
  if (code === undefined) return error instanceof Error ? error.message : String(error)
  const sentence = SENTENCES[code] ?? PREFIXES.find(([prefix]) => code.startsWith(prefix))?.[1] ?? 'the connection failed'
  return `${sentence} (${code})`
}

/** The code of an error, of its cause or of its parts: `fetch` puts the system's error into the cause. */
export function networkCodeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined
  if ('code' in error && typeof error.code === 'string') return error.code
  // A name with several addresses: each of them has failed.
  if ('errors' in error && Array.isArray(error.errors)) return error.errors.map(networkCodeOf).find((code) => code !== undefined)
  return 'cause' in error ? networkCodeOf(error.cause) : undefined
}
