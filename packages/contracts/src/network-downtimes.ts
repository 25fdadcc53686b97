import { compile, type FromSchema } from './schema.ts'
import { PAYMENT_METHODS } from './transaction.ts'

/** Where a connector with the capability `downtimes` lists what does not work or is about to stop. */
export const NETWORK_DOWNTIMES_PATH = '/network/v1/downtimes'

export const DOWNTIME_SEVERITIES = ['low', 'medium', 'high'] as const
export type DowntimeSeverity = (typeof DOWNTIME_SEVERITIES)[number]

const instant = (description: string) => ({ type: 'string', format: 'date-time', description }) as const

/** A method, or one bank, card network or UPI handle of it, that does not work well. Unknown fields are ignored. */
export const downtimeSchema = {
  type: 'object',
  required: ['method', 'severity', 'began_at'],
  properties: {
    method: { enum: PAYMENT_METHODS, description: PAYMENT_METHODS.join(', ') },
    instrument: {
      type: ['string', 'null'],
      minLength: 1,
      maxLength: 50,
      description: 'the bank (the code of net banking), card network or UPI handle; null for the whole method',
    },
    severity: {
      enum: DOWNTIME_SEVERITIES,
      description: 'low: as good as usual; medium: some payments fail or are slow; high: payments do not work',
    },
    began_at: instant('when it began or begins'),
    ended_at: { ...instant('when it ended or ends; null while that is unknown'), type: ['string', 'null'] },
  },
} as const
export type Downtime = FromSchema<typeof downtimeSchema>

export const downtimesSchema = { type: 'array', maxItems: 500, items: downtimeSchema } as const
/** The answer of `GET /network/v1/downtimes`. */
export const downtimes = compile(downtimesSchema)

/** Whether a downtime has begun and has not ended. */
export function isDown({ began_at, ended_at = null }: Pick<Downtime, 'began_at' | 'ended_at'>, now: Date): boolean {
  return new Date(began_at) <= now && (ended_at === null || now < new Date(ended_at))
}
