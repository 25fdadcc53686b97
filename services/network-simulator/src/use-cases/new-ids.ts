import { randomBytes, randomInt } from 'node:crypto'
import type { NewIds } from './make-payment.ts'

const RRN_DIGITS = 12

export const randomIds: NewIds = {
  reference: () => `SIM${randomBytes(10).toString('hex').toUpperCase()}`,
  rrn: () => String(randomInt(10 ** (RRN_DIGITS - 1), 10 ** RRN_DIGITS)),
  pageToken: () => randomBytes(24).toString('base64url'),
}
