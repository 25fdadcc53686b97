import { Gateway } from '@gateway/sdk'
import { createMerchant, type MerchantCredentials } from '@gateway/testkit/merchants'

export interface Merchant extends MerchantCredentials {
  readonly name: string
  readonly vpa: string
  readonly mcc: string
}

/** The part of a running stack that makes merchants. */
export interface MerchantRegistry {
  readonly base_url: string
  readonly operator: { readonly url: string; readonly token: string }
}

/** New merchants, each with its webhooks registered at the same URL. */
export async function createMerchants(
  { operator, base_url: baseUrl }: MerchantRegistry,
  count: number,
  webhookUrl: string,
): Promise<Merchant[]> {
  const merchants: Merchant[] = []
  for (let number = 1; number <= count; number++) {
    const details = { name: `Merchant ${number}`, vpa: `merchant.${number}@sandbox`, mcc: '5311' }
    const credentials = await createMerchant(operator, details)
    await new Gateway({ baseUrl, credentials }).endpoint.register(webhookUrl)
    merchants.push({ ...details, ...credentials })
  }
  return merchants
}
