import { parseUrl, parametersOf } from './values.ts'

/** What production demands of the addresses of database and broker: a login of its own, and TLS (design, section 2). */

/** Why a database address is not safe enough for production; nothing when it is. Options that weaken TLS are refused elsewhere. */
export function databaseAddressProblems(name: string, address: string): string[] {
  const url = parseUrl(address)
  if (!url) return []
  const option = (key: string) => [...url.searchParams].find(([given]) => given.toLowerCase() === key)?.[1]
  // With this mechanism the login is the client's certificate (RFC 5280).
  const byCertificate = option('authmechanism') === 'MONGODB-X509'
  const tls = option('tls') ?? option('ssl') ?? (url.protocol === 'mongodb+srv:' ? 'true' : 'false')
  return [
    ...(byCertificate ? [] : loginProblems(name, url)),
    ...(tls === 'true' ? [] : [`${name} must have tls=true in production`]),
  ]
}

/** Why an address of the broker is not safe enough for production; nothing when it is. `addresses`: one, or several with commas. */
export function brokerAddressProblems(name: string, addresses: string): string[] {
  const urls = addresses.split(',').flatMap((address) => parseUrl(address.trim()) ?? [])
  const problems = urls.flatMap((url) => [
    ...loginProblems(name, url),
    ...(url.username === 'guest' ? [`${name} must not name the user guest in production`] : []),
    ...(url.protocol === 'amqps:' ? [] : [`${name} must be a URL with amqps: in production`]),
    ...(url.searchParams.get('verify') === 'verify_none' ? [`${name} must not set verify=verify_none in production`] : []),
  ])
  return [...new Set(problems)]
}

function loginProblems(name: string, { username, password }: URL): string[] {
  return username === '' || password === '' ? [`${name} must have a user and a password in production`] : []
}

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
