import { decodeTime, encodeTime, ulid } from 'ulid'
import { pooledRandomByte } from './random-bytes.ts'
import { slotDigits, TRANSACTION_ID_DIGITS } from './slot.ts'

/**
 * A new transaction id: a ULID, 26 uppercase letters and digits that sort by time, and its order's slot in two more (slot.ts).
 * It is also the UPI transaction reference `tr`, which NPCI's linking specification limits to 35 characters; with `R01` it is a
 * refund's id, which acquirers limit to 35.
 */
export function newTransactionId(now: Date, slot: number): string {
  return ulid(now.getTime(), randomShare) + slotDigits(slot)
}

/** From 0 to below 1, in steps of 1/256, so that each of a ULID's 32 characters is equally likely. */
function randomShare(): number {
  return pooledRandomByte() / 256
}

const ULID_LENGTH = 26

/** Sorts before every id made at this instant or later, and after every earlier id. No id is from before 1970. */
export function firstTransactionIdAt(instant: Date): string {
  return encodeTime(Math.max(0, instant.getTime()), 10) + '0'.repeat(18)
}

/** When an id was made. Throws for text that does not begin with a ULID. */
export function transactionTime(transactionId: string): Date {
  return new Date(decodeTime(transactionId.slice(0, ULID_LENGTH)))
}

/** The pattern of a transaction id: a ULID and a slot. */
export const TRANSACTION_ID_PATTERN = `^${TRANSACTION_ID_DIGITS}$`

/** The pattern of a transaction reference in messages of the network. It may be one that the gateway did not make. */
export const TR_PATTERN = '^[0-9A-Z]{1,35}$'

/** The id of the event of one status change, the same for every copy and retry: `<transaction id>.<sequence>`. */
export function eventId(transactionId: string, sequence: number): string {
  return `${transactionId}.${sequence}`
}
