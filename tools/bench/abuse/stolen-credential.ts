import { jsonClient } from '@gateway/testkit'
import { connectApi, makeToken, type ApiKey, type MerchantCredentials } from '@gateway/testkit/merchants'
import { ATTACKER, flood, type AbuseWorld } from './world.ts'

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
  const operator = jsonClient(stack.operator.url, { authorization: `Bearer ${stack.operator.token}` })
  const path = `/operator/v1/merchants/${victim.merchant_id}/credentials`
  await operator('DELETE', `${path}/${stolen.key_id}`)
  const made = [await call('owner', victim, 'POST', '', { scopes: ['read'] }), await operator('POST', path)]
  await Promise.all([api.owner.close(), api.thief.close()])
  return made.some(({ status }) => status !== 201)
}
