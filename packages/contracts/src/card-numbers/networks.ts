/** A card network. The gateway's only table of number ranges: page, server, simulator and the search for card numbers use it. */
export interface CardNetwork {
  readonly id: 'visa' | 'mastercard' | 'rupay' | 'amex' | 'diners' | 'jcb' | 'discover' | 'unionpay' | 'maestro'
  /** The network's own name, the same in every language. */
  readonly name: string
  /** First digits, both ends included. Where ranges of networks overlap, the longest prefix counts. */
  readonly ranges: readonly (readonly [from: string, to: string])[]
  /** Allowed counts of digits. */
  readonly lengths: readonly number[]
  readonly cvvLength: 3 | 4
  /** Digits of each printed group; the last group takes the rest. */
  readonly groups: readonly number[]
}

const FOURS = [4, 4, 4, 4] as const
const FROM_16 = [16, 17, 18, 19] as const

/**
 * Issuer identification numbers (ISO/IEC 7812-1) as the networks publish them. Wide on purpose: a range too many costs a false alarm,
 * a missing one hides a card. JCB's cards of 353 and 356, and Discover's
 * of 60 and 65, are issued in India as RuPay. 622018 is the Maestro card of the State
 * Bank of India.
 */
export const CARD_NETWORKS: readonly CardNetwork[] = [
  network('visa', 'Visa', '4', [13, 16, 19]),
  network('mastercard', 'Mastercard', '51-55 2221-2720', [16]),
  network('rupay', 'RuPay', '502801 508 60 65 81-82 3530-3539 3560-3569', FROM_16),
  { ...network('amex', 'American Express', '34 37', [15]), cvvLength: 4, groups: [4, 6, 5] },
  { ...network('diners', 'Diners Club', '300-305 3095 36 38-39', [14, 15, ...FROM_16]), groups: [4, 6, 4] },
  network('jcb', 'JCB', '3528-3529 3540-3559 3570-3589', FROM_16),
  network('discover', 'Discover', '6011 644-649', FROM_16),
  network('unionpay', 'UnionPay', '62', FROM_16),
  network('maestro', 'Maestro', '50 56-59 6 622018', [12, 13, 14, 15, ...FROM_16]),
]

/** `ranges` are prefixes and spans of prefixes, separated by spaces. */
function network(id: CardNetwork['id'], name: string, ranges: string, lengths: readonly number[]): CardNetwork {
  const spans = ranges.split(' ').map((range): [string, string] => {
    const [from = '', to = from] = range.split('-')
    return [from, to]
  })
  return { id, name, ranges: spans, lengths, cvvLength: 3, groups: FOURS }
}

/** The network of a number's first digits; `undefined` for other ranges and for too few digits. Also runs in the page. */
export function networkOf(digits: string): CardNetwork | undefined {
  let found: CardNetwork | undefined
  let longest = 0
  for (const one of CARD_NETWORKS)
    for (const [from, to] of one.ranges) {
      // Texts of equal length compare like their numbers.
      const start = digits.slice(0, from.length)
      if (start.length < from.length || start < from || start > to || from.length <= longest) continue
      found = one
      longest = from.length
    }
  return found
}

/** True when a network issues numbers with these first digits and this length. Also runs in the page. */
export function isIssued(digits: string): boolean {
  return CARD_NETWORKS.some(
    ({ ranges, lengths }) =>
      lengths.includes(digits.length) &&
      ranges.some(([from, to]) => digits.slice(0, from.length) >= from && digits.slice(0, to.length) <= to),
  )
}

/** True when the check digit of a card number is right (ISO/IEC 7812-1, annex B: "Luhn"). `digits` holds only digits. */
export function hasValidCheckDigit(digits: string): boolean {
  let sum = 0
  for (let fromRight = 0; fromRight < digits.length; fromRight++) {
    const digit = digits.charCodeAt(digits.length - 1 - fromRight) - 48
    const weighted = fromRight % 2 === 0 ? digit : digit * 2
    sum += weighted > 9 ? weighted - 9 : weighted
  }
  return digits.length > 1 && sum % 10 === 0
}
