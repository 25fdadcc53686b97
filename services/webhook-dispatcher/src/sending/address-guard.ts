import ipaddr from 'ipaddr.js'

/** Addresses of clouds' metadata services that lie in no special range. */
const METADATA_ADDRESSES = new Set(['168.63.129.16'])

/** IANA has given out global unicast addresses from here only; everything else is special, reserved or embeds IPv4. */
const [GLOBAL_UNICAST, GLOBAL_UNICAST_BITS] = ipaddr.IPv6.parseCIDR('2000::/3')

/** Names that never lead to a public server (RFC 6761, 6762, 8375; ICANN's private-use name). */
const PRIVATE_NAME = /(?:^|\.)(?:localhost|local|internal|home\.arpa)\.?$/u

/**
 * True for an address on the public internet. Refused: private, loopback, link-local, carrier-grade NAT, metadata,
 * multicast, reserved, unspecified, benchmarking and documentation ranges, and every form that embeds an IPv4 address
 * (mapped, compatible, NAT64, 6to4, Teredo), since a gateway on the way could take it apart. Text that is no address is refused.
 */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text) || text.includes('%')) return false
  const address = ipaddr.parse(text)
  if (address.range() !== 'unicast') return false
  if (address instanceof ipaddr.IPv6) return address.match(GLOBAL_UNICAST, GLOBAL_UNICAST_BITS)
  return !METADATA_ADDRESSES.has(address.toString())
}

/** The address that a URL's host is written as, or `undefined` when it is a name. WHATWG has made 0x7f.1 a plain 127.0.0.1. */
export function addressLiteralOf(hostname: string): string | undefined {
  if (hostname.startsWith('[')) return hostname.slice(1, -1)
  return ipaddr.IPv4.isValidFourPartDecimal(hostname) ? hostname : undefined
}

/** True when the host itself says that it is not public, before any name is looked up. */
export function isRefusedHost(hostname: string): boolean {
  const literal = addressLiteralOf(hostname)
  return literal === undefined ? PRIVATE_NAME.test(hostname) : !isPublicAddress(literal)
}

/** Why a URL cannot be a webhook endpoint; `undefined` when it can, as far as the text says. */
export function refusalOf(text: string, allowedHosts: ReadonlySet<string>): string | undefined {
  if (!URL.canParse(text)) return 'must be a valid URL'
  const { protocol, username, password, hostname } = new URL(text)
  if (protocol !== 'https:') return 'must be an https URL'
  if (username !== '' || password !== '') return 'must not hold a user name or password'
  if (!allowedHosts.has(hostname) && isRefusedHost(hostname)) return 'must lead to a public address'
  return undefined
}
