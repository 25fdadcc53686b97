import { networkReportSchema, type NetworkReport } from './http/network-callback.ts'
import { AMOUNT_PATTERN } from './money.ts'
import { transactionId } from './schema-parts.ts'
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

const amount = { type: 'string', pattern: AMOUNT_PATTERN } as const

export const startPaymentSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['attempt_id', 'tr', 'method', 'amount', 'currency', 'description', 'return_url'],
  properties: {
    attempt_id: { type: 'string', minLength: 1, maxLength: 64 },
    tr: transactionId,
    method: { enum: PAYMENT_METHODS },
    amount,
    currency: { const: 'INR' },
    description: { type: 'string', maxLength: 50 },
    /** Where the bank's page sends the shopper's browser afterwards. */
    return_url: { type: 'string', maxLength: 500 },
    upi: {
      type: 'object',
      additionalProperties: false,
      required: ['vpa'],
      properties: { vpa: { type: 'string', maxLength: 320 } },
    },
    card: {
      type: 'object',
      additionalProperties: false,
      required: ['number', 'expiry_month', 'expiry_year', 'cvv', 'name'],
      properties: {
        number: { type: 'string', pattern: '^\\d{12,19}$' },
        expiry_month: { type: 'string', pattern: '^(0[1-9]|1[0-2])$' },
        expiry_year: { type: 'string', pattern: '^\\d{4}$' },
        cvv: { type: 'string', pattern: '^\\d{3,4}$' },
        name: { type: 'string', minLength: 1, maxLength: 100 },
      },
    },
    netbanking: {
      type: 'object',
      additionalProperties: false,
      required: ['bank'],
      properties: { bank: { type: 'string', pattern: '^[A-Z]{4}$' } },
    },
  },
} as const
export type StartPayment = FromSchema<typeof startPaymentSchema>
export const startPayment = compile(startPaymentSchema)

export const startPaymentResponseSchema = {
  type: 'object',
  required: ['reference', 'status', 'redirect_url', 'reason'],
  properties: {
    reference: networkReportSchema.properties.reference,
    status: { enum: NETWORK_OUTCOMES },
    /** The bank's or issuer's page, if the shopper has to visit it. */
    redirect_url: { type: ['string', 'null'] },
    reason: { type: ['string', 'null'] },
  },
} as const
export type StartPaymentResponse = FromSchema<typeof startPaymentResponseSchema>
export const startPaymentResponse = compile(startPaymentResponseSchema)

/** The most payments that one answer to an enquiry may list. */
export const MAX_LISTED_PAYMENTS = 100

export const enquiryResponseSchema = {
  type: 'object',
  required: ['tr', 'payments'],
  properties: {
    tr: transactionId,
    /** Captures first, then pending payments, then failed ones: a cut list never hides money behind declines. */
    payments: { type: 'array', maxItems: MAX_LISTED_PAYMENTS, items: networkReportSchema },
    /** True when payments were left out. A full list that does not say counts as cut. */
    more: { type: 'boolean' },
    /** When the acquirer or the UPI network was asked, if that was earlier than this answer. Without it: just now. */
    as_of: { type: 'string', format: 'date-time' },
  },
} as const
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

export const reversalRequestSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['reference', 'tr', 'amount', 'reason'],
  properties: {
    reference: networkReportSchema.properties.reference,
    tr: transactionId,
    amount,
    reason: { enum: REVERSAL_REASONS },
  },
} as const
export type ReversalRequest = FromSchema<typeof reversalRequestSchema>
export const reversalRequest = compile(reversalRequestSchema)

export const reversalResponseSchema = {
  type: 'object',
  required: ['reference', 'status', 'reason'],
  properties: {
    reference: networkReportSchema.properties.reference,
    /** `pending`: repeat the request with the same key. */
    status: { enum: ['pending', 'succeeded', 'failed'] },
    /** The bank's number of the reversal, which the payer's bank shows; once the reversal has succeeded. */
    rrn: networkReportSchema.properties.rrn,
    reason: { type: ['string', 'null'] },
  },
} as const
export type ReversalResponse = FromSchema<typeof reversalResponseSchema>
export const reversalResponse = compile(reversalResponseSchema)

/**
 * The idempotency key of a reversal: repeated requests reverse once. It holds the transaction, so that a connector that gives one
 * reference to payments of two transactions cannot take the second reversal for a repeat of the first.
 */
export function reversalKey({ tr, reference }: Pick<ReversalRequest, 'tr' | 'reference'>): string {
  return `rev-${tr}-${reference}`
}
