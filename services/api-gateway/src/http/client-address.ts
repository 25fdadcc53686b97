import ipaddr from 'ipaddr.js'

/** What one caller's address counts as: an IPv4 address, or the IPv6 network of 64 bits that one customer holds. */
export function addressKey(address: string | undefined): string {
  if (address === undefined || !ipaddr.isValid(address)) return 'unknown'
  const parsed = ipaddr.process(address)
  return parsed.kind() === 'ipv4' ? parsed.toString() : parsed.toByteArray().slice(0, 8).join('.')
}
