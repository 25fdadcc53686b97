import ipaddr from 'ipaddr.js'
import type { EnvReader } from '../config/reader.ts'

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
