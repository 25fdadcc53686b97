import { parseAmount } from './money.ts'

/** The payment that a UPI app is asked to make. Source: NPCI, UPI Linking Specifications, section "Specifications" (`upi://pay`). */
export interface UpiIntent {
  /** `pa`: the payee's VPA. */
  readonly payeeVpa: string
  /** `pn`: the payee's name. */
  readonly payeeName: string
  /** `mc`: the merchant category code, four digits. */
  readonly mcc: string
  /** `tr`: the transaction reference; ours is the transaction id. */
  readonly transactionId: string
  /** `am`: rupees with two decimals. */
  readonly amount: string
  /** `tn`: the note that the payer sees, at most 50 characters. */
  readonly note: string
}

/** Signs links for a payee's bank. Source: NPCI, UPI Linking Specifications, signed intents. */
export interface IntentSigner {
  /** How the payment begins, such as `05` for a signed intent. */
  readonly mode: string
  /** NPCI's id of the organization whose key signs. */
  readonly orgid: string
  /** The signature of a whole link, `mode` and `orgid` included, in base64. */
  sign(link: string): string
}

/**
 * The link `upi://pay?…`; percent-encoded, a space is `%20`, and `@` stays readable as in NPCI's own examples. A signature is the last
 * parameter. It may differ at each call.
 */
export function buildUpiIntent(intent: UpiIntent, signer?: IntentSigner): string {
  const unsigned = `upi://pay?${encode({
    pa: intent.payeeVpa,
    pn: intent.payeeName,
    mc: intent.mcc,
    tr: intent.transactionId,
    am: intent.amount,
    cu: 'INR',
    tn: intent.note,
  })}`
  if (!signer) return unsigned
  const link = `${unsigned}&${encode({ mode: signer.mode, orgid: signer.orgid })}`
  return `${link}&${encode({ sign: signer.sign(link) })}`
}

/** Reads a link made by `buildUpiIntent`; `undefined` when a part is missing or it is no UPI link. */
export function parseUpiIntent(link: string): UpiIntent | undefined {
  const query = /^upi:\/\/pay\?(.+)$/u.exec(link)?.[1]
  if (query === undefined) return undefined
  // The linking specification uses percent-encoding, not form encoding, so a plus sign means a plus.
  const parameters = new URLSearchParams(query.replaceAll('+', '%2B'))
  const [payeeVpa, payeeName, mcc, transactionId, amount] = ['pa', 'pn', 'mc', 'tr', 'am'].map((name) => parameters.get(name))
  if (!payeeVpa || !payeeName || !mcc || !transactionId || !amount) return undefined
  return { payeeVpa, payeeName, mcc, transactionId, amount, note: parameters.get('tn') ?? '' }
}

/**
 * Whether a link that another party minted asks for this amount: a UPI link of printable characters, with one `am` that is the amount
 * and one `cu` that is INR. Its `tr` may be the acquirer's own.
 */
export function isIntentFor(amountPaise: number, link: string): boolean {
  const query = /^upi:\/\/pay\?([\x21-\x7e]+)$/u.exec(link)?.[1]
  if (query === undefined) return false
  const parameters = new URLSearchParams(query.replaceAll('+', '%2B'))
  const [amounts, currencies] = [parameters.getAll('am'), parameters.getAll('cu')]
  return amounts.length === 1 && parseAmount(amounts[0] ?? '') === amountPaise && currencies.join() === 'INR'
}

function encode(parameters: Readonly<Record<string, string>>): string {
  return Object.entries(parameters)
    .map(([name, value]) => `${name}=${encodeURIComponent(value).replaceAll('%40', '@')}`)
    .join('&')
}

/** A UPI address (virtual payment address), as in design, section 8. */
export const VPA_PATTERN = '^[A-Za-z0-9.\\-_]{2,256}@[A-Za-z][A-Za-z0-9]{1,63}$'
