import { jsonClient } from '@gateway/testkit'
import type { StackDescription } from './stack.ts'
import type { Credentials } from './token.ts'

export interface BenchMerchant extends Credentials {
  readonly merchant_id: string
  readonly name: string
  readonly vpa: string
  readonly mcc: string
}

/** New merchants, each with its webhooks registered at the same receiver. */
export async function createMerchants(
  { operator, base_url: baseUrl }: StackDescription,
  count: number,
  webhookUrl: string,
): Promise<BenchMerchant[]> {
  const operators = jsonClient(operator.url, { authorization: `Bearer ${operator.token}` })
  const merchants: BenchMerchant[] = []
  for (let number = 1; number <= count; number++) {
    const merchant = { name: `Shop ${number}`, vpa: `shop.${number}@sandbox`, mcc: '5311' }
    const made = await operators<Pick<BenchMerchant, 'merchant_id'> & Credentials>('POST', '/operator/v1/merchants', merchant)
    if (made.status >= 300) throw new Error(`the merchant was not made: ${made.status} ${JSON.stringify(made.body)}`)
    await register(baseUrl, made.body, webhookUrl)
    const { merchant_id, key_id, key_secret } = made.body
    merchants.push({ ...merchant, merchant_id, key_id, key_secret })
  }
  return merchants
}

async function register(baseUrl: string, { key_id, key_secret }: Credentials, url: string): Promise<void> {
  const { body } = await jsonClient(baseUrl)<{ token: string }>('POST', '/api/v1/auth/token', { key_id, key_secret })
  const merchant = jsonClient(baseUrl, { authorization: `Bearer ${body.token}` })
  const { status } = await merchant('PUT', '/api/v1/webhooks/endpoint', { url })
  if (status !== 200) throw new Error(`the endpoint was not registered: ${status}`)
}
