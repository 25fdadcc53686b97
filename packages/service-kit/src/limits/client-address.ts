import type { IncomingHttpHeaders } from 'node:http'
import ipaddr from 'ipaddr.js'
import type { EnvReader } from '../config/reader.ts'

/** The rate limiter's key for a client: its IPv4 address, or its IPv6 /64 network, which one customer usually owns. */
export function addressKey(address: string | undefined): string {
  if (address === undefined || !ipaddr.isValid(address)) return 'unknown'
  const parsed = ipaddr.process(address)
  return parsed.kind() === 'ipv4' ? parsed.toString() : parsed.toByteArray().slice(0, 8).join('.')
}

/** The client's network for the log and the audit: 24 bits of an IPv4 address, 48 of an IPv6 address, as CIDR. */
export function addressPrefix(address: string | undefined): string | undefined {
  if (address === undefined || !ipaddr.isValid(address)) return undefined
  const parsed = ipaddr.process(address)
  if (parsed instanceof ipaddr.IPv4) return `${parsed.octets.slice(0, 3).join('.')}.0/24`
  return `${parsed.parts
    .slice(0, 3)
    .map((part) => part.toString(16))
    .join(':')}::/48`
}

/** Names for networks, as Express knows them. */
const NAMED_NETWORKS: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.1/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
}

/** True for an address in one of the networks, which are names, single addresses or CIDR. */
export function networkMatcher(networks: readonly string[]): (address: string | undefined) => boolean {
  const ranges = networks.flatMap((network) => NAMED_NETWORKS[network] ?? [network]).map(parseRange)
  return (address) => {
    if (ranges.length === 0 || address === undefined || !ipaddr.isValid(address)) return false
    const parsed = ipaddr.process(address)
    return ranges.some(([base, bits]) => base.kind() === parsed.kind() && parsed.match(base, bits))
  }
}

function parseRange(network: string): [ipaddr.IPv4 | ipaddr.IPv6, number] {
  if (network.includes('/')) return ipaddr.parseCIDR(network)
  const address = ipaddr.process(network)
  return [address, address.kind() === 'ipv4' ? 32 : 128]
}

/** The parts of a request that say where it came from. */
interface Origin {
  readonly socket: { readonly remoteAddress?: string | undefined }
  readonly headers: IncomingHttpHeaders
}

/** Where a request came from: the peer, or what trusted proxies in front of the gateway say in `x-forwarded-for`. */
export type ClientAddress = (request: Origin) => string | undefined

/** The rightmost address that is not one of a trusted proxy. A client can forge only what stands to the left of it. */
export function makeClientAddress(trustedProxies: readonly string[]): ClientAddress {
  const isTrusted = networkMatcher(trustedProxies)
  return ({ socket, headers }) => {
    let address = socket.remoteAddress
    const forwarded = headers['x-forwarded-for']
    if (forwarded === undefined || !isTrusted(address)) return address
    for (const hop of String(forwarded).split(',').reverse()) {
      address = hop.trim()
      if (!isTrusted(address)) return address
    }
    return address
  }
}

/** Names such as `loopback`, addresses, networks. Trusting every address is refused: any client could then forge its own. */
export function readTrustedProxies(env: EnvReader): string[] {
  const proxies = env.list(
    'TRUST_PROXY',
    '`loopback`, `linklocal`, `uniquelocal`, addresses or networks',
    'Proxies in front of the service whose `x-forwarded-for` is believed; none when unset',
  )
  if (!proxies.every(isProxy))
    env.reject('TRUST_PROXY must be loopback, linklocal, uniquelocal, addresses or networks; it must not cover every address')
  return proxies
}

function isProxy(text: string): boolean {
  if (!isNetwork(text)) return false
  return !ipaddr.isValidCIDR(text) || ipaddr.parseCIDR(text)[1] > 0
}

/** A name such as `loopback`, an address or a network. */
export function isNetwork(text: string): boolean {
  if (['loopback', 'linklocal', 'uniquelocal'].includes(text)) return true
  if (ipaddr.IPv4.isValidFourPartDecimal(text) || ipaddr.IPv6.isValid(text)) return true
  return ipaddr.isValidCIDR(text)
}
