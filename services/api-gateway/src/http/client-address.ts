import ipaddr from 'ipaddr.js'

/** The rate limiter's key for a client: its IPv4 address, or its IPv6 /64 network, which one customer usually owns. */
export function addressKey(address: string | undefined): string {
  if (address === undefined || !ipaddr.isValid(address)) return 'unknown'
  const parsed = ipaddr.process(address)
  return parsed.kind() === 'ipv4' ? parsed.toString() : parsed.toByteArray().slice(0, 8).join('.')
}
