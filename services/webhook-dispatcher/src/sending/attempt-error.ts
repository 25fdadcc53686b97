import type { AttemptError } from '@gateway/contracts'
import { AddressRefused } from './guarded-lookup.ts'

/** Codes of Node, undici and c-ares. */
const BY_CODE: Readonly<Record<string, AttemptError>> = {
  ENOTFOUND: 'name_not_resolved',
  EAI_AGAIN: 'name_not_resolved',
  EAI_FAIL: 'name_not_resolved',
  EAI_NODATA: 'name_not_resolved',
  ECONNREFUSED: 'connection_refused',
  ECONNRESET: 'connection_closed',
  EPIPE: 'connection_closed',
  UND_ERR_SOCKET: 'connection_closed',
  UND_ERR_CONNECT_TIMEOUT: 'timeout',
  UND_ERR_HEADERS_TIMEOUT: 'timeout',
  UND_ERR_BODY_TIMEOUT: 'timeout',
  ETIMEDOUT: 'timeout',
  UND_ERR_HEADERS_OVERFLOW: 'response_invalid',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'response_invalid',
  ERR_TLS_CERT_ALTNAME_INVALID: 'certificate_wrong_name',
  HOSTNAME_MISMATCH: 'certificate_wrong_name',
  CERT_HAS_EXPIRED: 'certificate_expired',
  CERT_NOT_YET_VALID: 'certificate_not_yet_valid',
  // OpenSSL does not know the issuer. It says the same for a missing intermediate certificate and for a private authority.
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'certificate_chain_incomplete',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'certificate_chain_incomplete',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'certificate_untrusted',
  SELF_SIGNED_CERT_IN_CHAIN: 'certificate_untrusted',
  CERT_UNTRUSTED: 'certificate_untrusted',
  CERT_REJECTED: 'certificate_untrusted',
}

/** Codes that begin like this, after `BY_CODE`; the first match counts. */
const BY_BEGINNING: readonly (readonly [RegExp, AttemptError])[] = [
  [/^ERR_SSL_(?:WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST|HTTPS_PROXY_REQUEST)$/u, 'not_tls'],
  [/^ERR_SSL_(?:TLSV1_ALERT_PROTOCOL_VERSION|UNSUPPORTED_PROTOCOL|VERSION_TOO_LOW)$/u, 'tls_version_unsupported'],
  [/^ERR_SSL_(?:EE_KEY_TOO_SMALL|CA_KEY_TOO_SMALL|CA_MD_TOO_WEAK)$/u, 'certificate_invalid'],
  [/^ERR_SSL_|^EPROTO$/u, 'tls_failed'],
  [/^(?:CERT_|ERR_TLS_CERT|UNABLE_TO_|ERROR_IN_CERT_|INVALID_(?:CA|PURPOSE)|PATH_LENGTH_EXCEEDED)/u, 'certificate_invalid'],
  [/^(?:EE|CA)_(?:KEY|MD)_TOO_/u, 'certificate_invalid'],
  [/^HPE_/u, 'response_invalid'],
]

/** The error of a failed exchange as one value of the closed list. Merchants see it, so it holds no other detail. */
export function attemptErrorOf(error: unknown): AttemptError {
  for (const cause of causesOf(error)) {
    if (cause instanceof AddressRefused) return cause.kind === undefined ? 'address_refused' : `address_refused: ${cause.kind}`
    const code = typeof cause.code === 'string' ? cause.code : ''
    const known = BY_CODE[code] ?? BY_BEGINNING.find(([pattern]) => pattern.test(code))?.[1]
    if (known !== undefined) return known
    // Some parser errors have no code.
    if (cause.name === 'HTTPParserError') return 'response_invalid'
  }
  return 'connection_failed'
}

/** The address of a failed connection, such as `203.0.113.7:443`, read from its error; `null` when the error names none. */
export function failedAddressOf(error: unknown): string | null {
  for (const { address, port } of causesOf(error))
    if (typeof address === 'string') return formatAddress(address, typeof port === 'number' ? port : undefined)
  return null
}

type ErrorFields = Readonly<Partial<Record<'name' | 'code' | 'address' | 'port' | 'errors' | 'cause', unknown>>>

/** An error and what caused it. Of several failed addresses the first error counts. */
function* causesOf(error: unknown): Generator<ErrorFields> {
  let next = error
  while (typeof next === 'object' && next !== null) {
    const fields: ErrorFields = next
    yield fields
    next = (Array.isArray(fields.errors) ? fields.errors[0] : undefined) ?? fields.cause
  }
}

/** `203.0.113.7:443` or `[2001:db8::1]:443`. */
export function formatAddress(address: string, port: number | undefined): string {
  const host = address.includes(':') ? `[${address}]` : address
  return port === undefined ? host : `${host}:${port}`
}
