import { randomBytes } from 'node:crypto'
import type { Scope } from '@gateway/contracts'
import { jsonClient } from '../json-client.ts'
import type { ApiKey } from './token.ts'

export interface MerchantCredentials extends ApiKey {
  readonly merchant_id: string
}

export interface MerchantDetails {
  readonly name: string
  /** A made-up one by default. */
  readonly vpa?: string
  readonly mcc?: string
  /** The scopes of the merchant's first credential; `undefined`: the default scopes. */
  readonly scopes?: readonly Scope[]
}

/** Creates a merchant at the operator API of `auth-token`. Throws when that is refused. */
export async function createMerchant(
  operator: { readonly url: string; readonly token: string },
  { name, vpa = `merchant.${randomBytes(4).toString('hex')}@sandbox`, mcc = '5311', ...scopes }: MerchantDetails,
): Promise<MerchantCredentials> {
  const api = jsonClient(operator.url, { authorization: `Bearer ${operator.token}` })
  const { status, body } = await api<MerchantCredentials>('POST', '/operator/v1/merchants', { name, vpa, mcc, ...scopes })
  if (status !== 201) throw new Error(`the merchant was not created: ${status} ${JSON.stringify(body)}`)
  return body
}
