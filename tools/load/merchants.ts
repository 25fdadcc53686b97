import { connectApi, createMerchant, createMerchantClient, type MerchantCredentials } from '@gateway/testkit/merchant-client'

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
  const api = connectApi(baseUrl)
  const merchants: Merchant[] = []
  for (let number = 1; number <= count; number++) {
    const details = { name: `Merchant ${number}`, vpa: `merchant.${number}@sandbox`, mcc: '5311' }
    const credentials = await createMerchant(operator, details)
    const { status } = await createMerchantClient(api, credentials).registerEndpoint(webhookUrl)
    if (status !== 200) throw new Error(`the webhook endpoint was not registered: ${status}`)
    merchants.push({ ...details, ...credentials })
  }
  await api.close()
  return merchants
}
