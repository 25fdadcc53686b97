import { randomBytes } from 'node:crypto'
import { connectApi, makeToken, type ApiConnection } from '@gateway/testkit/merchants'
import { createMerchants } from '@gateway-tools/load/merchants'
import { metricOf } from '@gateway-tools/load/service-process'
import { ATTACKER, flood, shareOf, type AbuseWorld } from './world.ts'

const [JUNK_TOKENS, FRESH_TOKENS, FORGED_LINKS, UNSIGNED_CALLBACKS] = [2000, 2000, 1000, 1500]

const exchangesOf = ({ services }: AbuseWorld['stack']): Promise<number> =>
  metricOf(services['auth-token']?.url ?? '', 'http_request_duration_seconds_count', 'tokens/exchange')

/** Tokens of the right form that auth-token did not issue, from the address of a merchant whose own token is cached. */
export async function floodWithTokens({ stack, known, attacker }: AbuseWorld) {
  const junkKey = () => ({
    key_id: `key_sandbox_${randomBytes(12).toString('hex')}`,
    key_secret: randomBytes(32).toString('base64url'),
  })
  const junk = await Promise.all(Array.from({ length: JUNK_TOKENS }, () => makeToken(junkKey())))
  const own = await makeToken(known.merchant)
  const search = (connection: ApiConnection, token = '') =>
    connection.call('POST', '/api/v1/order/search', { order_id: known.orderId }, { authorization: `Bearer ${token}` })
  const merchant = connectApi(stack.base_url, { connections: 1, ...ATTACKER })
  const answers: ({ status: number } | undefined)[] = [await search(merchant, own)]
  const before = await exchangesOf(stack)

  const flooding = new AbortController()
  const asking = (async () => {
    while (!flooding.signal.aborted) answers.push(...(await flood(1, () => search(merchant, own))))
  })()
  await flood(JUNK_TOKENS, (index) => search(attacker, junk[index]))
  flooding.abort()
  await asking
  await merchant.close()
  return {
    junk_tokens_exchanged_ratio: ((await exchangesOf(stack)) - before) / JUNK_TOKENS,
    cached_merchant_success: shareOf(answers, 200),
  }
}

/** How long the gateway uses an exchanged token. Each group of services has its own. */
const EXCHANGED_EVERY_S = 25
const GROUPS = 2

/** Exchanges beyond one for each served call, while a merchant far above its limit sends a fresh token with each call. */
export async function floodWithFreshTokens({ stack, receiver, merchants, attacker }: AbuseWorld): Promise<number> {
  const [greedy] = await createMerchants(stack, 1, `${receiver.urls[0]}/greedy`)
  if (!greedy) throw new Error('no merchant was made')
  const fresh = await Promise.all(Array.from({ length: FRESH_TOKENS }, () => makeToken(greedy)))
  const [before, startedMs] = [await exchangesOf(stack), performance.now()]
  // An empty order is refused after the limit, and makes nothing.
  const answers = await flood(FRESH_TOKENS, (index) =>
    attacker.call('POST', '/api/v1/orders/create', {}, { authorization: `Bearer ${fresh[index] ?? ''}` }),
  )
  const served = answers.filter((answer) => answer?.status === 422).length
  const tookS = (performance.now() - startedMs) / 1000
  const honest = merchants.length * GROUPS * Math.ceil(1 + tookS / EXCHANGED_EVERY_S)
  return Math.max(0, (await exchangesOf(stack)) - before - served - honest)
}

/** The share of checkout links with a wrong MAC that the gateway refuses itself. */
export async function floodWithLinks({ known, attacker }: AbuseWorld): Promise<number> {
  const forge = () => `/checkout/${known.transactionId}-${randomBytes(18).toString('base64url')}`
  return shareOf(await flood(FORGED_LINKS, () => attacker.call('GET', forge())), 429)
}

/** The share of callbacks with a wrong signature that the gateway refuses itself. */
export async function floodWithCallbacks({ attacker }: AbuseWorld): Promise<number> {
  const forge = (index: number) => {
    const timestamp = String(Math.floor(Date.now() / 1000))
    const signature = `v1,${randomBytes(32).toString('base64')}`
    const headers = { 'webhook-id': `evt_${index}`, 'webhook-timestamp': timestamp, 'webhook-signature': signature }
    return attacker.call('POST', '/network/v1/callbacks', { tr: `T${index}`, outcome: 'success' }, headers)
  }
  return shareOf(await flood(UNSIGNED_CALLBACKS, forge), 429)
}
