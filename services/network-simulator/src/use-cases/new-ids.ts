import { randomInt } from 'node:crypto'
import { pooledRandomBytes } from '@gateway/contracts'
import type { NewIds } from './make-payment.ts'

const RRN_DIGITS = 12

/** `SIM` and twenty characters, never with nine digits in a row, so that no scan takes it for a card number. */
export function referenceFrom(bytes: Buffer): string {
  return `SIM${bytes
    .toString('hex')
    .slice(0, 20)
    .toUpperCase()
    .replaceAll(/([0-9]{8})[0-9]/gu, '$1A')}`
}

/** Random ids from the system's generator. */
export const randomIds: NewIds = {
  reference: () => referenceFrom(pooledRandomBytes(10)),
  rrn: () => String(randomInt(10 ** (RRN_DIGITS - 1), 10 ** RRN_DIGITS)),
  pageToken: () => pooledRandomBytes(24).toString('base64url'),
}
