import { exportedPaymentSchema } from '../payments-export.ts'
import { requiredFields, text, time } from '../schema-parts.ts'
import { compileReader } from '../schema.ts'

/** The data of an event, together with the payment as the write of the event left it: whoever keeps a copy reads nothing again. */
export function withPayment<const Required extends readonly string[], const Properties extends object>(data: {
  readonly required: Required
  readonly properties: Properties
}) {
  return {
    type: 'object',
    additionalProperties: false,
    required: [...data.required, 'payment'],
    properties: { ...data.properties, payment: exportedPaymentSchema },
  } as const
}

/** An event without the copy. */
export type WithoutPayment<Event extends { readonly data: object }> = Omit<Event, 'data'> & {
  readonly data: Omit<Event['data'], 'payment'>
}

/** What a consumer reads that keeps copies of payments. Of two copies, the one with the higher `version` is newer. */
export const paymentEventReader = compileReader(
  requiredFields({ occurred_at: time, correlation_id: text, data: requiredFields({ payment: exportedPaymentSchema }) }),
)
