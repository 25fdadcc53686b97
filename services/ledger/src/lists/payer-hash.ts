import { createHmac, type KeyObject } from 'node:crypto'
import type { HashPayer } from './domain/payment.ts'

/**
 * The key prevents that a reader of the database finds an address by trying all of them. The merchant id is hashed too, so that
 * equal hashes never show that two merchants have the same payer.
 */
export function makeHashPayer(key: KeyObject): HashPayer {
  return (merchantId, vpa) => createHmac('sha256', key).update(`${merchantId}\n${vpa.toLowerCase()}`).digest('base64url')
}
