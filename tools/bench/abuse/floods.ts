import { randomBytes } from 'node:crypto'
import { makeToken } from '@gateway/testkit/merchants'
import { metricOf } from '@gateway-tools/load/service-process'
import { callFrom, flood, type Answer, type Send } from './calls.ts'
import type { AbuseWorld } from './world.ts'

const FLOODERS = 20
const [JUNK_TOKENS, FORGED_LINKS, UNSIGNED_CALLBACKS] = [2000, 1000, 1500]
const EXCHANGES = ['http_request_duration_seconds_count', 'tokens/exchange'] as const

/** Tokens of the right form that auth-token did not issue, from the address of a merchant whose own token is cached. */
export async function floodWithTokens({ stack, known, attackerAddress }: AbuseWorld, attacker: Send) {
  const junkKey = () => ({
    key_id: `key_sandbox_${randomBytes(12).toString('hex')}`,
    key_secret: randomBytes(32).toString('base64url'),
  })
  const junk = await Promise.all(Array.from({ length: JUNK_TOKENS }, () => makeToken(junkKey())))
  const own = await makeToken(known.merchant)
  const search = (send: Send, token = ''): Promise<Answer> => {
    const headers = { authorization: `Bearer ${token}` }
    return send({ method: 'POST', path: '/api/v1/order/search', headers, body: { order_id: known.orderId } })
  }
  const exchanges = () => metricOf(stack.services['auth-token']?.url ?? '', ...EXCHANGES)
  const merchant = callFrom(attackerAddress, stack.base_url, 1)
  const answers = [await search(merchant.send, own)]
  const before = await exchanges()

  const flooding = new AbortController()
  const asking = (async () => {
    while (!flooding.signal.aborted) answers.push(await search(merchant.send, own))
  })()
  await flood(JUNK_TOKENS, FLOODERS, (index) => search(attacker, junk[index]))
  flooding.abort()
  await asking
  await merchant.close()
  return {
    junk_tokens_exchanged_ratio: ((await exchanges()) - before) / JUNK_TOKENS,
    cached_merchant_success: answers.filter(({ status }) => status === 200).length / answers.length,
  }
}

/** The share of checkout links with a wrong MAC that the gateway refuses itself. */
export async function floodWithLinks({ known }: AbuseWorld, attacker: Send): Promise<number> {
  const [, transactionId] = /\/checkout\/([0-9A-Z]+)-/u.exec(known.checkoutUrl) ?? []
  const forge = () => `/checkout/${transactionId}-${randomBytes(18).toString('base64url')}`
  return (await flood(FORGED_LINKS, FLOODERS, () => attacker({ path: forge() }))).share(429)
}

/** The share of callbacks with a wrong signature that the gateway refuses itself. */
export async function floodWithCallbacks(attacker: Send): Promise<number> {
  const forge = (index: number) => {
    const timestamp = String(Math.floor(Date.now() / 1000))
    const signature = `v1,${randomBytes(32).toString('base64')}`
    const headers = { 'webhook-id': `evt_${index}`, 'webhook-timestamp': timestamp, 'webhook-signature': signature }
    return attacker({ method: 'POST', path: '/network/v1/callbacks', headers, body: { tr: `T${index}`, outcome: 'success' } })
  }
  return (await flood(UNSIGNED_CALLBACKS, FLOODERS, forge)).share(429)
}
