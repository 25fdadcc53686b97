/** The six accepted card networks. */
export type CardNetwork = 'visa' | 'mastercard' | 'rupay' | 'amex' | 'diners' | 'maestro'

export interface CardNetworkRules {
  readonly network: CardNetwork
  /** The network's own name, the same in every language. */
  readonly name: string
  /** First digits, both ends included. No two ranges overlap, within a network or between networks. */
  readonly ranges: readonly (readonly [from: string, to: string])[]
  /** Allowed counts of digits. */
  readonly lengths: readonly number[]
  readonly cvvLength: 3 | 4
  /** Digits of each printed group; the last group takes the rest. */
  readonly groups: readonly number[]
}

const FOURS = [4, 4, 4, 4] as const

/**
 * Issuer identification numbers (ISO/IEC 7812-1), lengths and security codes as listed for each network in the table of
 * https://en.wikipedia.org/wiki/Payment_card_number, which names the networks' own documents. RuPay shares 353 and 356 with
 * JCB. Discover cards, whose ranges lie within RuPay's, are accepted in India over the RuPay network.
 */
export const CARD_NETWORKS: readonly CardNetworkRules[] = [
  { network: 'visa', name: 'Visa', ranges: [['4', '4']], lengths: [13, 16, 19], cvvLength: 3, groups: FOURS },
  {
    network: 'mastercard',
    name: 'Mastercard',
    ranges: [
      ['51', '55'],
      ['2221', '2720'],
    ],
    lengths: [16],
    cvvLength: 3,
    groups: FOURS,
  },
  {
    network: 'rupay',
    name: 'RuPay',
    ranges: [
      ['508', '508'],
      ['60', '60'],
      ['65', '65'],
      ['81', '82'],
      ['353', '353'],
      ['356', '356'],
    ],
    lengths: [16],
    cvvLength: 3,
    groups: FOURS,
  },
  {
    network: 'amex',
    name: 'American Express',
    ranges: [
      ['34', '34'],
      ['37', '37'],
    ],
    lengths: [15],
    cvvLength: 4,
    groups: [4, 6, 5],
  },
  {
    network: 'diners',
    name: 'Diners Club',
    ranges: [
      ['300', '305'],
      ['3095', '3095'],
      ['36', '36'],
      ['38', '39'],
    ],
    lengths: [14, 15, 16, 17, 18, 19],
    cvvLength: 3,
    groups: [4, 6, 4],
  },
  {
    network: 'maestro',
    name: 'Maestro',
    ranges: [
      ['5018', '5018'],
      ['5020', '5020'],
      ['5038', '5038'],
      ['5893', '5893'],
      ['6304', '6304'],
      ['6759', '6759'],
      ['6761', '6763'],
    ],
    lengths: [12, 13, 14, 15, 16, 17, 18, 19],
    cvvLength: 3,
    groups: FOURS,
  },
]

/** The network of a number's first digits; `undefined` for other networks and for too few digits. */
export function detectNetwork(digits: string): CardNetworkRules | undefined {
  return CARD_NETWORKS.find(({ ranges }) => ranges.some((range) => startsWithin(digits, range)))
}

/** Texts of equal length compare like their numbers. */
function startsWithin(digits: string, [from, to]: readonly [string, string]): boolean {
  const start = digits.slice(0, from.length)
  return start.length === from.length && start >= from && start <= to
}
