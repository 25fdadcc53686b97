/** Merchants of a running stack. */
import type { Scope } from '@gateway/contracts'
import {
  connectApi,
  createMerchantClient,
  createMerchant as createMerchantAt,
  type MerchantClient,
  type MerchantCredentials,
} from '@gateway/testkit'
import type { StackDescription } from './stack-description.ts'

export { makeToken, type TokenClaims } from '@gateway/testkit'
export type Merchant = MerchantClient
export type Credentials = MerchantCredentials

/** The platform's operator creates a merchant. Throws when that is refused. */
export function createMerchant(stack: StackDescription, name: string, scopes?: readonly Scope[]): Promise<Credentials> {
  return createMerchantAt(stack.operator, { name, ...(scopes && { scopes }) })
}

/** The merchant's program, with connections and a first token of its own. */
export async function connectMerchant({ base_url }: StackDescription, credentials: Credentials): Promise<Merchant> {
  const merchant = createMerchantClient(connectApi(base_url), credentials)
  await merchant.token()
  return merchant
}
