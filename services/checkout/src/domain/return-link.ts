import type { TransactionView } from '@gateway/contracts'

/**
 * The merchant's address that the shopper returns to, with `order_id` and `status` as a hint. Anyone can forge such an
 * address, so the merchant confirms by search. `undefined` when the merchant gave none.
 */
export function returnLink({ return_url, order_id, status }: TransactionView): string | undefined {
  if (return_url === null || !URL.canParse(return_url)) return undefined
  const url = new URL(return_url)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return undefined
  // Keep the merchant's own parameters byte for byte: encoding them again changes `%20` and `~`, which breaks a signature.
  const own = url.search
    .slice(1)
    .split('&')
    .filter((parameter) => parameter !== '' && !isHint(parameter))
  url.search = [...own, new URLSearchParams({ order_id, status }).toString()].join('&')
  return url.href
}

function isHint(parameter: string): boolean {
  const names = new URLSearchParams(parameter)
  return names.has('order_id') || names.has('status')
}
