import type { AttemptError } from '../../domain/delivery.ts'
import { AddressRefused } from './guarded-lookup.ts'

const BY_CODE: Readonly<Record<string, AttemptError>> = {
  ENOTFOUND: 'name_not_resolved',
  EAI_AGAIN: 'name_not_resolved',
  EAI_FAIL: 'name_not_resolved',
  EAI_NODATA: 'name_not_resolved',
  ECONNREFUSED: 'connection_refused',
  UND_ERR_CONNECT_TIMEOUT: 'timeout',
  UND_ERR_HEADERS_TIMEOUT: 'timeout',
  UND_ERR_BODY_TIMEOUT: 'timeout',
  ETIMEDOUT: 'timeout',
  UND_ERR_HEADERS_OVERFLOW: 'response_invalid',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'response_invalid',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'certificate_invalid',
  SELF_SIGNED_CERT_IN_CHAIN: 'certificate_invalid',
}

const CERTIFICATE_CODE = /^(?:CERT_|ERR_TLS_CERT|UNABLE_TO_|HOSTNAME_MISMATCH|INVALID_CA|PATH_LENGTH_EXCEEDED)/u

/** The error of a failed exchange as one value of the closed list. Merchants see it, so it holds no other detail. */
export function attemptErrorOf(error: unknown): AttemptError {
  if (error instanceof AddressRefused) return error.kind === undefined ? 'address_refused' : `address_refused: ${error.kind}`
  const { name, code, cause } = factsOf(error)
  if (CERTIFICATE_CODE.test(code)) return 'certificate_invalid'
  // Some parser errors have no code.
  if (code.startsWith('HPE_') || name === 'HTTPParserError') return 'response_invalid'
  return BY_CODE[code] ?? (cause === undefined ? 'connection_failed' : attemptErrorOf(cause))
}

/** Of several failed addresses the first error counts. */
function factsOf(error: unknown): { name: string; code: string; cause: unknown } {
  if (typeof error !== 'object' || error === null) return { name: '', code: '', cause: undefined }
  const errors: unknown = 'errors' in error ? error.errors : undefined
  const first: unknown = Array.isArray(errors) ? errors[0] : undefined
  return {
    name: 'name' in error ? String(error.name) : '',
    code: 'code' in error && typeof error.code === 'string' ? error.code : '',
    cause: first ?? ('cause' in error ? error.cause : undefined),
  }
}
