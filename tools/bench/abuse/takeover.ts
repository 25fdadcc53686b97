import { jsonClient } from '@gateway/testkit'
import { makeToken } from '@gateway/testkit/merchants'
import type { Merchant } from '@gateway-tools/load/merchants'
import { callFrom, flood, type Send } from './calls.ts'
import type { AbuseWorld } from './world.ts'

const [VICTIMS, CHANGES, CONCURRENCY] = [2, 500, 20]
/** One change in so many is a rotation of the signing secret. */
const ROTATE_EVERY = 10
const ENDPOINT = '/api/v1/webhooks/endpoint'

/** A thief changes endpoints with stolen tokens, and operators undo it. Merchants who then cannot change their own. */
export async function countLockedOut(world: AbuseWorld, thief: Send): Promise<number> {
  const outcomes = await Promise.all(world.merchants.slice(-VICTIMS).map((victim) => isLockedOut(world, thief, victim)))
  return outcomes.filter((isOut) => isOut).length
}

async function isLockedOut({ stack, receiver }: AbuseWorld, thief: Send, victim: Merchant): Promise<boolean> {
  const since = new Date().toISOString()
  const headers = { authorization: `Bearer ${await makeToken(victim)}` }
  const change = (send: Send, name: string) =>
    send({ method: 'PUT', path: ENDPOINT, headers, body: { url: `${receiver.urls[0]}/${name}` } })
  const rotate = (send: Send) => send({ method: 'POST', path: `${ENDPOINT}/rotate-secret`, headers })
  await flood(CHANGES, CONCURRENCY, (index) => (index % ROTATE_EVERY === 0 ? rotate(thief) : change(thief, `thief/${index}`)))

  const { url, token } = stack.webhook_operator
  const operator = jsonClient(`${url}/operator/v1/endpoints/`, { authorization: `Bearer ${token}` })
  await operator('POST', `${victim.merchant_id}/undo-changes`, { since })
  await operator('POST', `${victim.merchant_id}/expire-secrets`)

  const merchant = callFrom('127.0.0.1', stack.base_url, 1)
  const answers = [await change(merchant.send, 'own'), await rotate(merchant.send)]
  await merchant.close()
  return answers.some(({ status }) => status !== 200)
}
