import { createHmac, type KeyObject } from 'node:crypto'

/** Stands for a payer's UPI address in the database. Equal for equal payers of one merchant, in any letter case. */
export type HashPayer = (merchantId: string, vpa: string) => string

/** Keyed, so that nobody finds the address by trying all addresses; with the merchant, so that merchants share no payers. */
export function makeHashPayer(key: KeyObject): HashPayer {
  return (merchantId, vpa) => createHmac('sha256', key).update(`${merchantId}\n${vpa.toLowerCase()}`).digest('base64url')
}
