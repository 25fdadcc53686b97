import { downtimeSchema } from '../network-downtimes.ts'
import { dataOf, listOf, requiredFields } from '../schema-parts.ts'
import type { FromSchema } from '../schema.ts'

const { method, instrument, severity, began_at, ended_at } = downtimeSchema.properties

/** A downtime as merchants see it. */
export const downtimeViewSchema = requiredFields({ method, instrument, severity, began_at, ended_at })
export type DowntimeView = FromSchema<typeof downtimeViewSchema>

/** The answer of `GET /api/v1/downtimes`. */
export const downtimesResponseSchema = dataOf({ downtimes: listOf(downtimeViewSchema) })
export type DowntimesResponse = FromSchema<typeof downtimesResponseSchema>
