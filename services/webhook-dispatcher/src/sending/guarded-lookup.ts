import type { LookupAddress } from 'node:dns'
import type { LookupFunction } from 'node:net'
import type { AddressKind } from '@gateway/contracts'
import { addressKindOf } from './address-guard.ts'

/** Looks up all addresses of a name; rejects when there is none. */
export type Resolve = (hostname: string) => Promise<LookupAddress[]>

/** The URL is refused, or its name has no public address: then `kind` says what the first address is. */
export class AddressRefused extends Error {
  readonly code = 'ADDRESS_REFUSED'
  readonly kind: AddressKind | undefined
  /** The first of those addresses: for the delivery's record, never shown to the merchant. */
  readonly address: string | undefined

  constructor(kind?: AddressKind, address?: string) {
    super('the host has no public address')
    this.kind = kind
    this.address = address
  }
}

/**
 * The public addresses of a name. Other addresses (a NAT64 resolver adds some) are removed, so no connection goes to them.
 * Throws `AddressRefused` when none is left.
 */
export function makeResolvePublic(resolve: Resolve, allowedHosts: ReadonlySet<string>): Resolve {
  return async (hostname) => {
    const addresses = await resolve(hostname)
    if (allowedHosts.has(hostname)) return addresses
    const open = addresses.filter(({ address }) => addressKindOf(address) === undefined)
    const [first] = addresses
    if (open.length === 0) throw new AddressRefused(addressKindOf(first?.address ?? ''), first?.address)
    return open
  }
}

/** The lookup of `net.connect`, which connects to the returned address: the checked address is the one that is used. */
export function guardedLookup(resolvePublic: Resolve): LookupFunction {
  return (hostname, options, callback) => {
    resolvePublic(hostname).then(
      (addresses) => {
        const [first] = addresses
        if (!first) callback(new AddressRefused(), '')
        else if (options.all === true) callback(null, addresses)
        else callback(null, first.address, first.family)
      },
      (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), options.all === true ? [] : ''),
    )
  }
}
