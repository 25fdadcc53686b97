import type { Stack } from '@gateway-infra/local/stack-file'
import { Gateway } from '@gateway/sdk'
import { createMerchant, type MerchantCredentials } from '@gateway/testkit/merchants'
import { openMerchantLoad } from './merchant-load.ts'
import { openReceiver, type Authority } from './receiver.ts'

/** The part of a running stack that makes merchants. */
type MerchantRegistry = Pick<Stack, 'base_url' | 'operator'>

/** New merchants, each with its webhooks registered at the same URL. */
export async function createMerchants({ operator, base_url: baseUrl }: MerchantRegistry, count: number, webhookUrl: string) {
  const merchants: MerchantCredentials[] = []
  for (let number = 1; number <= count; number++) {
    const credentials = await createMerchant(operator, { name: `Merchant ${number}` })
    await new Gateway({ baseUrl, credentials }).endpoint.register(webhookUrl)
    merchants.push(credentials)
  }
  return merchants
}

/** New merchants of a stack, the program that makes their calls, and the receiver of all their webhooks. */
export async function openLoad(stack: MerchantRegistry & Authority & Pick<Stack, 'network_url'>, count: number) {
  const [load, receiver] = [openMerchantLoad(), await openReceiver(stack)]
  const merchants = await createMerchants(stack, count, receiver.urls[0] ?? '')
  await load.call('setup', { baseUrl: stack.base_url, networkUrl: stack.network_url, merchants })
  const close = () => Promise.all([load.close(), receiver.close()])
  return { load, receiver, merchants, close }
}
