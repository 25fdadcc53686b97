import { isDown, orderMethodOf, PAYMENT_METHODS, type Downtime, type OrderMethod } from '@gateway/contracts'

/** What the connector's downtimes mean for the page. */
export interface Outages {
  /** Not offered. */
  readonly hiddenMethods: readonly OrderMethod[]
  /** Offered with a warning. */
  readonly slowMethods: readonly OrderMethod[]
  /** Codes of banks that are not listed. */
  readonly hiddenBanks: readonly string[]
  /** Codes of banks that the page warns about. */
  readonly slowBanks: readonly string[]
}

export const NO_OUTAGES: Outages = { hiddenMethods: [], slowMethods: [], hiddenBanks: [], slowBanks: [] }

/** Most used in India first. */
export const METHODS_IN_ORDER: readonly OrderMethod[] = ['upi', 'card', 'netbanking']

/**
 * `high` hides a method or a bank, `medium` warns, `low` shows nothing. Cards are hidden only when credit and debit cards are both
 * down. The page cannot leave out one card network or UPI handle, so a downtime of one of them is a warning.
 */
export function outagesAt(downtimes: readonly Downtime[], now: Date): Outages {
  const current = downtimes.filter((downtime) => downtime.severity !== 'low' && isDown(downtime, now))
  const banks = current.filter(({ method, instrument = null }) => method === 'netbanking' && instrument !== null)
  const others = current.filter((downtime) => !banks.includes(downtime))
  const isHidden = (method: OrderMethod): boolean =>
    PAYMENT_METHODS.filter((of) => orderMethodOf(of) === method).every((of) =>
      others.some((downtime) => downtime.method === of && isWhole(downtime)),
    )
  const isSlow = (method: OrderMethod): boolean => others.some((downtime) => orderMethodOf(downtime.method) === method)
  const hiddenBanks = codesOf(banks.filter(({ severity }) => severity === 'high'))
  return {
    hiddenMethods: METHODS_IN_ORDER.filter(isHidden),
    slowMethods: METHODS_IN_ORDER.filter((method) => isSlow(method) && !isHidden(method)),
    hiddenBanks,
    slowBanks: codesOf(banks).filter((code) => !hiddenBanks.includes(code)),
  }
}

/** Equal for outages that look the same; empty without any. */
export function outagesKey({ hiddenMethods, slowMethods, hiddenBanks, slowBanks }: Outages): string {
  const parts = [hiddenMethods, slowMethods, hiddenBanks, slowBanks].map((part) => part.join(','))
  return parts.every((part) => part === '') ? '' : parts.join(';')
}

function isWhole({ severity, instrument = null }: Downtime): boolean {
  return severity === 'high' && instrument === null
}

function codesOf(banks: readonly Downtime[]): string[] {
  return [...new Set(banks.map(({ instrument }) => instrument ?? ''))].toSorted()
}
