import { createHmac, type KeyObject } from 'node:crypto'

/** Hashes a payer's UPI address for the database. Equal for the same address of one merchant, in any letter case. */
export type HashPayer = (merchantId: string, vpa: string) => string

/**
 * The key prevents that a reader of the database finds an address by trying all of them. The merchant id is hashed too, so that
 * equal hashes never show that two merchants have the same payer.
 */
export function makeHashPayer(key: KeyObject): HashPayer {
  return (merchantId, vpa) => createHmac('sha256', key).update(`${merchantId}\n${vpa.toLowerCase()}`).digest('base64url')
}
