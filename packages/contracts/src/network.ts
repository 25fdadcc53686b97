import { AMOUNT_SCHEMA } from './http/create-order.ts'
import { AMOUNT_PATTERN } from './money.ts'
import { exactFields, requiredFields, textOrNull, time, tr } from './schema-parts.ts'
import { compile, type FromSchema } from './schema.ts'
import { NETWORK_OUTCOMES, PAYMENT_METHODS, REVERSAL_REASONS, type NetworkOutcome } from './transaction.ts'

/**
 * The contract of a network connector (design, section 2): start, enquire, reverse, and signed callbacks.
 * The simulator is its reference implementation; a production connector implements the same.
 *
 *   POST /network/v1/payments            start,   header idempotency-key = attempt_id   → 201 StartPaymentResponse
 *   GET  /network/v1/payments?tr=…       enquire: every payment known for tr            → 200 EnquiryResponse ([] = none)
 *   POST /network/v1/reversals           reverse, header idempotency-key = rev-<tr>-<reference> → 200 ReversalResponse
 *
 * Each call carries `authorization: Bearer <NETWORK_API_KEY>`.
 */
export const NETWORK_PATHS = { payments: '/network/v1/payments', reversals: '/network/v1/reversals' } as const

/** The network's own id of the payment: one capture has one reference, and no two payments share one. */
const reference = {
  type: 'string',
  minLength: 1,
  maxLength: 64,
  pattern: '^[A-Za-z0-9._-]+$',
  description: "1 to 64 letters, digits, '.', - or _",
} as const
/** The number under which the bank knows the payment. */
const rrn = { type: 'string', maxLength: 35, pattern: '^[A-Za-z0-9]*$', description: 'at most 35 letters and digits' } as const

export const longestText = (maxLength: number) =>
  ({ type: 'string', maxLength, description: `text of at most ${maxLength} characters` }) as const

/**
 * One payment as the network reports it: the body of a callback, and an entry of an enquiry's answer. Unknown fields are
 * ignored, since networks add fields.
 */
export const networkReportSchema = requiredFields(
  {
    reference,
    tr: { ...tr, description: '1 to 35 uppercase letters and digits' },
    outcome: { enum: NETWORK_OUTCOMES, description: NETWORK_OUTCOMES.join(' or ') },
    amount: AMOUNT_SCHEMA,
    method: { enum: PAYMENT_METHODS, description: PAYMENT_METHODS.join(' or ') },
  },
  {
    attempt_id: { type: 'string', minLength: 1, maxLength: 64, description: 'text of 1 to 64 characters' },
    rrn,
    payer: {
      ...requiredFields({ name: longestText(100), vpa: longestText(320) }),
      description: 'an object with name and vpa',
    },
    reason: longestText(200),
    /** One of `FAILURE_CODES`; any other text counts as `unknown`. */
    reason_code: longestText(200),
    /** The code of the bank or the UPI network as it is, for the operator. */
    network_code: longestText(200),
  },
)
export type NetworkReport = FromSchema<typeof networkReportSchema>
export const networkReport = compile(networkReportSchema)

const amount = { type: 'string', pattern: AMOUNT_PATTERN } as const

export const startPaymentSchema = exactFields(
  {
    attempt_id: { type: 'string', minLength: 1, maxLength: 64 },
    tr,
    method: { enum: PAYMENT_METHODS },
    amount,
    currency: { const: 'INR' },
    description: { type: 'string', maxLength: 50 },
    /** Where the bank's page sends the shopper's browser afterwards. */
    return_url: { type: 'string', maxLength: 500 },
  },
  {
    upi: exactFields({ vpa: { type: 'string', maxLength: 320 } }),
    card: exactFields({
      number: { type: 'string', pattern: '^\\d{12,19}$' },
      expiry_month: { type: 'string', pattern: '^(0[1-9]|1[0-2])$' },
      expiry_year: { type: 'string', pattern: '^\\d{4}$' },
      cvv: { type: 'string', pattern: '^\\d{3,4}$' },
      name: { type: 'string', minLength: 1, maxLength: 100 },
    }),
    netbanking: exactFields({ bank: { type: 'string', pattern: '^[A-Z]{4}$' } }),
  },
)
export type StartPayment = FromSchema<typeof startPaymentSchema>
export const startPayment = compile(startPaymentSchema)

export const startPaymentResponseSchema = requiredFields({
  reference,
  status: { enum: NETWORK_OUTCOMES },
  /** The bank's or issuer's page, if the shopper has to visit it. */
  redirect_url: textOrNull,
  reason: textOrNull,
})
export type StartPaymentResponse = FromSchema<typeof startPaymentResponseSchema>
export const startPaymentResponse = compile(startPaymentResponseSchema)

/** The most payments that one answer to an enquiry may list. */
export const MAX_LISTED_PAYMENTS = 100

export const enquiryResponseSchema = requiredFields(
  {
    tr,
    /** Captures first, then pending payments, then failed ones: a cut list never hides money behind declines. */
    payments: { type: 'array', maxItems: MAX_LISTED_PAYMENTS, items: networkReportSchema },
  },
  {
    /** True when payments were left out. A full list that does not say counts as cut. */
    more: { type: 'boolean' },
    /** When the acquirer or the UPI network was asked, if that was earlier than this answer. Without it: just now. */
    as_of: time,
  },
)
export type EnquiryResponse = FromSchema<typeof enquiryResponseSchema>
export const enquiryResponse = compile(enquiryResponseSchema)

const LISTED: readonly NetworkOutcome[] = ['success', 'pending', 'failed']

/** The part of an enquiry's answer that lists these payments: at most `MAX_LISTED_PAYMENTS`, captures first. */
export function listPayments(payments: readonly NetworkReport[]): Pick<EnquiryResponse, 'payments' | 'more'> {
  const sorted = payments.toSorted((one, other) => LISTED.indexOf(one.outcome) - LISTED.indexOf(other.outcome))
  return { payments: sorted.slice(0, MAX_LISTED_PAYMENTS), more: sorted.length > MAX_LISTED_PAYMENTS }
}

/** True when the answer may leave payments out. Such a list cannot prove that no money came. */
export function isCut({ payments, more }: EnquiryResponse): boolean {
  return more ?? payments.length >= MAX_LISTED_PAYMENTS
}

export const reversalRequestSchema = exactFields({ reference, tr, amount, reason: { enum: REVERSAL_REASONS } })
export type ReversalRequest = FromSchema<typeof reversalRequestSchema>
export const reversalRequest = compile(reversalRequestSchema)

export const reversalResponseSchema = requiredFields(
  {
    reference,
    /** `pending`: repeat the request with the same key. */
    status: { enum: ['pending', 'succeeded', 'failed'] },
    reason: textOrNull,
  },
  /** The bank's number of the reversal, which the payer's bank shows; once the reversal has succeeded. */
  { rrn },
)
export type ReversalResponse = FromSchema<typeof reversalResponseSchema>
export const reversalResponse = compile(reversalResponseSchema)

/**
 * The idempotency key of a reversal: repeated requests reverse once. It holds the transaction, so that a connector that gives one
 * reference to payments of two transactions cannot take the second reversal for a repeat of the first.
 */
export function reversalKey({ tr, reference }: Pick<ReversalRequest, 'tr' | 'reference'>): string {
  return `rev-${tr}-${reference}`
}
