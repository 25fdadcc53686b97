import {
  formatPaise,
  intentResponse,
  isIntentFor,
  NETWORK_INTENTS_PATH,
  Unavailable,
  type IntentRequest,
} from '@gateway/contracts'
import type { Log } from '@gateway/service-kit'
import { failureCode } from '@gateway/service-kit/http-client'
import { createNetworkClient, type NetworkAddress } from '@gateway/connector-client'
import { noteOf, type OrderDraft } from '../domain/order.ts'

/** The merchant waits for it. */
const TIMEOUT_MS = 3000

/**
 * Asks the network's connector for the UPI link of an order (contracts, network-capabilities.ts). Throws `Unavailable`
 * (`intent_unavailable`) without a link that asks for the order's amount.
 */
export function createMintIntent(address: NetworkAddress, log: Pick<Log, 'warn'>): (order: OrderDraft) => Promise<string> {
  const client = createNetworkClient({ timeoutMs: TIMEOUT_MS, ...address })
  return async (order) => {
    const { transaction_id: tr, amount_paise, merchant, expires_at } = order
    const body: IntentRequest = {
      ...{ tr, amount: formatPaise(amount_paise), note: noteOf(order), merchant: { ...merchant } },
      expires_at: expires_at.toISOString(),
    }
    const headers = { 'idempotency-key': tr }
    let why: object
    try {
      const { status, data } = await client.post(NETWORK_INTENTS_PATH, body, { headers })
      const isAnswer = (status === 200 || status === 201) && intentResponse(data)
      if (isAnswer && isIntentFor(amount_paise, data.intent)) return data.intent
      why = { status, is_for_order: isAnswer ? false : undefined }
    } catch (error) {
      why = { error: failureCode(error) }
    }
    log.warn('connector minted no intent', { transaction_id: tr, ...why })
    throw new Unavailable('intent_unavailable', 'The UPI link cannot be made now; try again, or leave UPI out of the methods')
  }
}
