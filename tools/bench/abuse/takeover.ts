import { operatorClient } from '@gateway/testkit'
import { connectApi, makeToken, type ApiKey, type MerchantCredentials } from '@gateway/testkit/merchants'
import { ATTACKER, flood, gatewayOf, type AbuseWorld } from './world.ts'

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

  const operator = operatorClient(stack.webhook_operator)
  await operator('POST', `/operator/v1/endpoints/${victim.merchant_id}/undo-changes`, { since })
  await operator('POST', `/operator/v1/endpoints/${victim.merchant_id}/expire-secrets`)

  const own = gatewayOf(world, victim).endpoint
  const changes = [
    await flood<unknown>(1, () => own.register(`${receiver.urls[0]}/own`)),
    await flood(1, () => own.rotateSecret()),
  ]
  return changes.flat().includes(undefined)
}

/** Slightly fewer than a merchant may make in a day. */
const MADE_BY_THIEF = 48

/** A thief uses up a stolen credential's limits and tries to revoke the owner's. True when owner or operator then cannot make one. */
export async function isOutOfCredentials({ stack }: AbuseWorld, victim: MerchantCredentials): Promise<boolean> {
  const api = { owner: connectApi(stack.base_url), thief: connectApi(stack.base_url, ATTACKER) }
  const call = async (by: keyof typeof api, credential: ApiKey, method: string, id = '', body?: object) => {
    const headers = { authorization: `Bearer ${await makeToken(credential)}` }
    return api[by].call<{ data: { credential: ApiKey } }>(method, `/api/v1/credentials${id}`, body, headers)
  }
  const stolen = (await call('owner', victim, 'POST', '', { scopes: ['credentials'] })).body.data.credential
  await flood(MADE_BY_THIEF, async () => {
    const { body } = await call('thief', stolen, 'POST', '', { scopes: ['credentials'] })
    return call('thief', stolen, 'DELETE', `/${body.data.credential.key_id}`)
  })
  await call('thief', stolen, 'DELETE', `/${victim.key_id}`)
  const operator = operatorClient(stack.operator)
  const path = `/operator/v1/merchants/${victim.merchant_id}/credentials`
  await operator('DELETE', `${path}/${stolen.key_id}`)
  const made = [await call('owner', victim, 'POST', '', { scopes: ['read'] }), await operator('POST', path)]
  await Promise.all([api.owner.close(), api.thief.close()])
  return made.some(({ status }) => status !== 201)
}
