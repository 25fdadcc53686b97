import { parametersOf } from './url.ts'

/**
 * Options of a connection string by which the address of the database could weaken what the services promise, in lower case. The
 * driver lets some of them win over the options that a service sets. Source: https://www.mongodb.com/docs/manual/reference/connection-string-options/
 */
const REFUSED: ReadonlySet<string> = new Set(
  [
    // How durable a write is, and what a read may return: `connectDatabase` sets both.
    ...['w', 'j', 'journal', 'fsync', 'wtimeout', 'wtimeoutMS', 'writeConcern', 'readConcern', 'readConcernLevel'],
    ...['readPreference', 'readPreferenceTags', 'maxStalenessSeconds', 'retryWrites'],
    // What makes TLS accept a server that it cannot verify.
    ...['tlsInsecure', 'tlsAllowInvalidCertificates', 'tlsAllowInvalidHostnames', 'tlsDisableCertificateRevocationCheck'],
    ...['tlsDisableOCSPEndpointCheck', 'sslValidate', 'rejectUnauthorized', 'checkServerIdentity', 'allowPartialTrustChain'],
  ].map((name) => name.toLowerCase()),
)

/** The options of a connection string that a service must refuse, as they are written there. */
export function refusedMongoOptions(mongoUrl: string): string[] {
  return [...new Set(parametersOf(mongoUrl))].filter((name) => REFUSED.has(name.toLowerCase()))
}
