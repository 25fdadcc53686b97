import ipaddr from 'ipaddr.js'
import type { AddressKind } from '@gateway/contracts'

/** Addresses of cloud metadata services. Some are in no special range. */
const METADATA_ADDRESSES = new Set([
  '169.254.169.254',
  '169.254.170.2',
  '168.63.129.16',
  '100.100.100.200',
  '192.0.0.192',
  'fd00:ec2::254',
  'fd20:ce::254',
])

/** IANA assigns global unicast addresses only from this range; all others are special, reserved or embed IPv4. */
const [GLOBAL_UNICAST, GLOBAL_UNICAST_BITS] = ipaddr.IPv6.parseCIDR('2000::/3')

/** Maps the library's ranges. A range that is not listed counts as reserved. */
const KIND_OF_RANGE: Readonly<Record<string, AddressKind>> = {
  loopback: 'loopback',
  unspecified: 'unspecified',
  private: 'private',
  uniqueLocal: 'private',
  deprecatedSiteLocal: 'private',
  linkLocal: 'link_local',
  carrierGradeNat: 'carrier_grade_nat',
  multicast: 'multicast',
  broadcast: 'broadcast',
  ipv4Mapped: 'embedded_ipv4',
  rfc6145: 'embedded_ipv4',
  rfc6052: 'embedded_ipv4',
  '6to4': 'embedded_ipv4',
  teredo: 'embedded_ipv4',
}

/** Names that never lead to a public server (RFC 6761, 6762, 8375; ICANN's private-use name). */
const PRIVATE_NAME = /(?:^|\.)(?:localhost|local|internal|home\.arpa)\.*$/u

/**
 * Why an address is not on the public internet; `undefined` when it is. Refused: private, loopback, link-local,
 * carrier-grade NAT, metadata, multicast, reserved, unspecified, benchmarking and documentation ranges, and every form that
 * embeds an IPv4 address (mapped, compatible, NAT64, 6to4, Teredo, ISATAP), since a gateway on the path could extract it. Text that
 * is no address is refused.
 */
export function addressKindOf(text: string): AddressKind | undefined {
  const [bare = '', ...zones] = text.split('%')
  if (!ipaddr.isValid(bare)) return 'not_an_address'
  const address = ipaddr.parse(bare)
  if (METADATA_ADDRESSES.has(address.toString())) return 'metadata'
  const range = address.range()
  if (range !== 'unicast') return KIND_OF_RANGE[range] ?? 'reserved'
  // A zone names a link of this machine.
  if (zones.length > 0) return 'link_local'
  if (address instanceof ipaddr.IPv4) return undefined
  if (isIsatap(address)) return 'embedded_ipv4'
  if (address.match(GLOBAL_UNICAST, GLOBAL_UNICAST_BITS)) return undefined
  return address.parts.slice(0, 6).every((part) => part === 0) ? 'embedded_ipv4' : 'reserved'
}

/** `…:0:5efe:<IPv4>` or `…:200:5efe:<IPv4>`, in any network (RFC 5214, section 6.1). */
function isIsatap({ parts }: ipaddr.IPv6): boolean {
  return (parts[4] === 0 || parts[4] === 0x0200) && parts[5] === 0x5efe
}

/** The address in a URL's host, or `undefined` when the host is a name. WHATWG URL parsing has made 0x7f.1 a 127.0.0.1. */
export function addressLiteralOf(hostname: string): string | undefined {
  if (hostname.startsWith('[')) return hostname.slice(1, -1)
  return ipaddr.IPv4.isValidFourPartDecimal(hostname) ? hostname : undefined
}

/** Why the host itself is not public, before any name lookup. */
export function hostKindOf(hostname: string): AddressKind | undefined {
  const literal = addressLiteralOf(hostname)
  if (literal !== undefined) return addressKindOf(literal)
  return PRIVATE_NAME.test(hostname) ? 'private_name' : undefined
}

/** Which endpoints this deployment may call. */
export interface EndpointRules {
  /** Hosts that need not be public and may have any port, for development. */
  readonly allowedHosts: ReadonlySet<string>
  /** Ports of every other host. */
  readonly ports: EndpointPorts
}

export type EndpointPorts = ReadonlySet<number> | 'any'

const HTTPS_PORT = 443

interface UrlRefusal {
  /** Shown to the merchant that registers the URL. */
  readonly message: string
  /** Set when the host is the reason. */
  readonly kind?: AddressKind
}

/** Why a URL cannot be a webhook endpoint, judged by its text alone; `undefined` when it can. */
export function refusalOf(text: string, { allowedHosts, ports }: EndpointRules): UrlRefusal | undefined {
  if (!URL.canParse(text)) return { message: 'must be a valid URL' }
  const { protocol, username, password, hostname, port } = new URL(text)
  if (protocol !== 'https:') return { message: 'must be an https URL' }
  if (username !== '' || password !== '') return { message: 'must not hold a user name or password' }
  if (allowedHosts.has(hostname)) return undefined
  const kind = hostKindOf(hostname)
  if (kind !== undefined) return { message: 'must lead to a public address', kind }
  const isOpen = ports === 'any' || ports.has(port === '' ? HTTPS_PORT : Number(port))
  return isOpen ? undefined : { message: `must have port ${[...ports].join(' or ')}` }
}
