import { decodeTime, encodeTime, ulid } from 'ulid'
import { pooledRandomByte } from './random-bytes.ts'

/**
 * A new transaction id: a ULID, 26 uppercase letters and digits that sort by time.
 * It is also the UPI transaction reference `tr`, which NPCI's linking specification limits to 35 characters.
 */
export function newTransactionId(now: Date): string {
  return ulid(now.getTime(), randomShare)
}

/** From 0 to below 1, in steps of 1/256, so that each of a ULID's 32 characters is equally likely. */
function randomShare(): number {
  return pooledRandomByte() / 256
}

/** Sorts before every id made at this instant or later, and after every earlier id. No id is from before 1970. */
export function firstTransactionIdAt(instant: Date): string {
  return encodeTime(Math.max(0, instant.getTime()), 10) + '0'.repeat(16)
}

/** When an id was made. Throws for text that is no ULID. */
export function transactionTime(transactionId: string): Date {
  return new Date(decodeTime(transactionId))
}

/** The pattern of a transaction id; the gateway never made an id of another form. */
export const TRANSACTION_ID_PATTERN = '^[0-9A-Z]{1,35}$'

/** The id of the event of one status change, the same for every copy and retry: `<transaction id>.<sequence>`. */
export function eventId(transactionId: string, sequence: number): string {
  return `${transactionId}.${sequence}`
}
