import { jsonClient } from '@gateway/testkit'
import type { MerchantCredentials } from '@gateway/testkit/merchants'
import { flood, gatewayOf, type AbuseWorld } from './world.ts'

const [VICTIMS, CHANGES] = [2, 500]
/** Every tenth change rotates the signing secret. */
const ROTATE_EVERY = 10

/** Merchants who are locked out after what this thief does. */
export async function countLockedOut(world: AbuseWorld, isOut: typeof isOutOfEndpoint): Promise<number> {
  const outcomes = await Promise.all(world.merchants.slice(-VICTIMS).map((victim) => isOut(world, victim)))
  return outcomes.filter(Boolean).length
}

/** A thief changes endpoints with stolen tokens, and operators undo it. True when the merchant then cannot change its own. */
export async function isOutOfEndpoint(world: AbuseWorld, victim: MerchantCredentials): Promise<boolean> {
  const { stack, receiver, attacker } = world
  const since = new Date().toISOString()
  const thief = gatewayOf(world, victim, { fetch: attacker.fetch }).endpoint
  await flood<unknown>(CHANGES, (index) =>
    index % ROTATE_EVERY === 0 ? thief.rotateSecret() : thief.register(`${receiver.urls[0]}/thief/${index}`),
  )

  const { url, token } = stack.webhook_operator
  const operator = jsonClient(`${url}/operator/v1/endpoints/`, { authorization: `Bearer ${token}` })
  await operator('POST', `${victim.merchant_id}/undo-changes`, { since })
  await operator('POST', `${victim.merchant_id}/expire-secrets`)

  const own = gatewayOf(world, victim).endpoint
  const changes = [
    await flood<unknown>(1, () => own.register(`${receiver.urls[0]}/own`)),
    await flood(1, () => own.rotateSecret()),
  ]
  return changes.flat().includes(undefined)
}
