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

/** The parameters of a signed intent, for a bank that signs them. */
export interface IntentSignature {
  readonly mode: string
  readonly orgid: string
  readonly sign: string
}

export type IntentSigner = (unsignedIntent: string) => IntentSignature

/** The link `upi://pay?…`; percent-encoded, a space is `%20`, and `@` stays readable as in NPCI's own examples. */
export function buildUpiIntent(intent: UpiIntent, sign?: IntentSigner): string {
  const unsigned = `upi://pay?${encode({
    pa: intent.payeeVpa,
    pn: intent.payeeName,
    mc: intent.mcc,
    tr: intent.transactionId,
    am: intent.amount,
    cu: 'INR',
    tn: intent.note,
  })}`
  return sign ? `${unsigned}&${encode({ ...sign(unsigned) })}` : unsigned
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

function encode(parameters: Readonly<Record<string, string>>): string {
  return Object.entries(parameters)
    .map(([name, value]) => `${name}=${encodeURIComponent(value).replaceAll('%40', '@')}`)
    .join('&')
}
