import type { TransactionView } from '@gateway/contracts'

/** Goes before the name of our parameter when the merchant's address already has a parameter of this name. */
const PREFIX = 'payment_'

/**
 * The merchant's address that the shopper returns to, with `order_id` and `status` as a hint. Anyone can forge such an
 * address, so the merchant confirms by search. `undefined` when the merchant gave none.
 *
 * The merchant's own parameters and fragment stay byte for byte: encoding them again changes `%20` and `~`, which breaks a signature.
 */
export function returnLink({ return_url, order_id, status }: TransactionView): string | undefined {
  if (return_url === null || !URL.canParse(return_url) || !/^https?:$/u.test(new URL(return_url).protocol)) return undefined
  const [address = '', ...fragment] = return_url.split('#')
  const taken = new Set([...new URL(return_url).searchParams.keys()].map(asServersRead))
  const hints = new URLSearchParams({ [freeName('order_id', taken)]: order_id, [freeName('status', taken)]: status })
  const separator = !address.includes('?') ? '?' : /[?&]$/u.test(address) ? '' : '&'
  return [`${address}${separator}${hints.toString()}`, ...fragment].join('#')
}

function freeName(name: string, taken: ReadonlySet<string>): string {
  return taken.has(name) ? freeName(`${PREFIX}${name}`, taken) : name
}

/** The name that servers may read: some ignore case, and PHP reads `order.id` and `order_id[]` as `order_id`. */
function asServersRead(name: string): string {
  return name.toLowerCase().replace(/\[.*$/su, '').replace(/[. ]/gu, '_')
}
