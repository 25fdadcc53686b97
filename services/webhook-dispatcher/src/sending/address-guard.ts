import ipaddr from 'ipaddr.js'
import type { AddressKind } from '../domain/address-kind.ts'

/** Addresses of clouds' metadata services; some of them lie in no special range. */
const METADATA_ADDRESSES = new Set([
  '169.254.169.254',
  '169.254.170.2',
  '168.63.129.16',
  '100.100.100.200',
  '192.0.0.192',
  'fd00:ec2::254',
  'fd20:ce::254',
])

/** IANA has given out global unicast addresses from here only; everything else is special, reserved or embeds IPv4. */
const [GLOBAL_UNICAST, GLOBAL_UNICAST_BITS] = ipaddr.IPv6.parseCIDR('2000::/3')

/** What the ranges of the library are to us; a range that is not here, a new one too, is reserved. */
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
 * embeds an IPv4 address (mapped, compatible, NAT64, 6to4, Teredo), since a gateway on the way could take it apart. Text that
 * is no address is refused.
 */
export function addressKindOf(text: string): AddressKind | undefined {
  const [bare = '', ...zones] = text.split('%')
  if (!ipaddr.isValid(bare)) return 'not_an_address'
  const address = ipaddr.parse(bare)
  if (METADATA_ADDRESSES.has(address.toString())) return 'metadata'
  const range = address.range()
  if (range !== 'unicast') return KIND_OF_RANGE[range] ?? 'reserved'
  // A zone means a link of this machine, whatever the address says.
  if (zones.length > 0) return 'link_local'
  if (address instanceof ipaddr.IPv4 || address.match(GLOBAL_UNICAST, GLOBAL_UNICAST_BITS)) return undefined
  return address.parts.slice(0, 6).every((part) => part === 0) ? 'embedded_ipv4' : 'reserved'
}

/** The address that a URL's host is written as, or `undefined` when it is a name. WHATWG has made 0x7f.1 a plain 127.0.0.1. */
export function addressLiteralOf(hostname: string): string | undefined {
  if (hostname.startsWith('[')) return hostname.slice(1, -1)
  return ipaddr.IPv4.isValidFourPartDecimal(hostname) ? hostname : undefined
}

/** What makes the host itself not public, before any name is looked up. */
export function hostKindOf(hostname: string): AddressKind | undefined {
  const literal = addressLiteralOf(hostname)
  if (literal !== undefined) return addressKindOf(literal)
  return PRIVATE_NAME.test(hostname) ? 'private_name' : undefined
}

export interface UrlRefusal {
  /** For the merchant who registers it. */
  readonly message: string
  /** When it is about the host. */
  readonly kind?: AddressKind
}

/** Why a URL cannot be a webhook endpoint; `undefined` when it can, as far as the text says. */
export function refusalOf(text: string, allowedHosts: ReadonlySet<string>): UrlRefusal | undefined {
  if (!URL.canParse(text)) return { message: 'must be a valid URL' }
  const { protocol, username, password, hostname } = new URL(text)
  if (protocol !== 'https:') return { message: 'must be an https URL' }
  if (username !== '' || password !== '') return { message: 'must not hold a user name or password' }
  const kind = allowedHosts.has(hostname) ? undefined : hostKindOf(hostname)
  return kind && { message: NOT_PUBLIC, kind }
}

/** What a merchant is told whose URL, or whose name's every address, is not public. */
export const NOT_PUBLIC = 'must lead to a public address'
