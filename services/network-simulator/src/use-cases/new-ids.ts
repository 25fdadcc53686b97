import { randomInt } from 'node:crypto'
import { pooledRandomBytes } from '@gateway/contracts'
import type { NewIds } from './make-payment.ts'

const RRN_DIGITS = 12

/** Twenty characters, never with so many digits in a row that a card number could be seen in them. */
export function referenceFrom(bytes: Buffer): string {
  return `SIM${bytes
    .toString('hex')
    .slice(0, 20)
    .toUpperCase()
    .replaceAll(/([0-9]{8})[0-9]/gu, '$1A')}`
}

export const randomIds: NewIds = {
  reference: () => referenceFrom(pooledRandomBytes(10)),
  rrn: () => String(randomInt(10 ** (RRN_DIGITS - 1), 10 ** RRN_DIGITS)),
  pageToken: () => pooledRandomBytes(24).toString('base64url'),
}
