import type { LookupAddress } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { AddressKind } from '@gateway/contracts'
import { addressKindOf, refusalOf, type EndpointRules } from './address-guard.ts'

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

/**
 * The lookup of `net.connect`, which connects to the returned address: the checked address is the one that is used. Node asks for all
 * addresses, since it tries both families (`autoSelectFamily`).
 */
export function guardedLookup(resolvePublic: Resolve): LookupFunction {
  return (hostname, _options, callback) => {
    resolvePublic(hostname).then(
      (addresses) => callback(null, addresses),
      (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), []),
    )
  }
}

/** How long a registration waits for the name lookup. */
const LOOKUP_TIMEOUT_MS = 2000

/** Shown when the host, or every address of its name, is not public. */
const NOT_PUBLIC = 'must lead to a public address'

/** Why a URL cannot be a webhook endpoint, judged by its text and the addresses of its name; `undefined` when it can. */
export type CheckEndpointUrl = (url: string) => Promise<string | undefined>

/**
 * Refuses only a URL that is known to be wrong: a name that does not resolve now may do so later, and every connection is
 * checked again.
 */
export function makeCheckEndpointUrl(resolve: Resolve, rules: EndpointRules): CheckEndpointUrl {
  const resolvePublic = makeResolvePublic(resolve, rules.allowedHosts)
  return async (url) => {
    const refusal = refusalOf(url, rules)
    if (refusal !== undefined) return refusal.message
    const lookedUp = resolvePublic(new URL(url).hostname.replace(/^\[|\]$/gu, ''))
    try {
      await Promise.race([lookedUp, sleep(LOOKUP_TIMEOUT_MS, undefined, { ref: false })])
      return undefined
    } catch (error) {
      return error instanceof AddressRefused ? NOT_PUBLIC : undefined
    }
  }
}
