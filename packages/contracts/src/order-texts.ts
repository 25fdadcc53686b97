import { plainText, text, textOrNull } from './schema-parts.ts'

const RETURN_URL_REMARK =
  'the shopper comes back with the parameters order_id and status; a name that the URL already has becomes payment_order_id or payment_status; a card number is refused'

/** The schema of `return_url`, whose format differs in the sandbox. */
export function returnUrlSchema(format: string, alsoAllowed = '') {
  const description = `an HTTPS URL of at most 250 characters${alsoAllowed}; ${RETURN_URL_REMARK}`
  return { type: 'string', maxLength: 250, format, description } as const
}

/**
 * The optional texts that a merchant gives an order, each named once. The request, `order.created`, the documents of order-api and
 * payment-status and search's answer are made from this table. `absent`: what is stored and shown when the merchant left it out.
 */
const ORDER_TEXTS = {
  description: {
    request: { ...plainText(50), description: `${plainText(50).description}; also the note of the UPI link` },
    absent: '',
  },
  return_url: { request: returnUrlSchema('https-url'), absent: null },
  udf1: { request: plainText(256), absent: '' },
  udf2: { request: plainText(256), absent: '' },
  udf3: { request: plainText(256), absent: '' },
} as const satisfies Readonly<Record<string, { readonly request: object; readonly absent: '' | null }>>

type Table = typeof ORDER_TEXTS
type Name = keyof Table

/** The texts of one order, all keys present. */
export type OrderTexts = { readonly [Key in Name]: string | Table[Key]['absent'] }

const NAMES = Object.keys(ORDER_TEXTS) as Name[]

function forEachText<Value>(valueOf: (name: Name) => Value): Readonly<Record<Name, Value>> {
  return Object.fromEntries(NAMES.map((name) => [name, valueOf(name)])) as Record<Name, Value>
}

/** The properties of the request. */
export const ORDER_TEXT_REQUESTS = forEachText((name) => ORDER_TEXTS[name].request) as {
  readonly [Key in Name]: Table[Key]['request']
}

/** The properties of answers and of events. */
export const ORDER_TEXT_PROPERTIES = forEachText((name) => (ORDER_TEXTS[name].absent === null ? textOrNull : text)) as {
  readonly [Key in Name]: Table[Key]['absent'] extends null ? typeof textOrNull : typeof text
}

/** The texts in a request, an event or a document, with `absent` for those that it does not have. */
export function orderTextsOf(given: { readonly [Key in Name]?: string | null | undefined }): OrderTexts {
  return forEachText((name) => given[name] ?? ORDER_TEXTS[name].absent) as OrderTexts
}
