import { type Log, stopAll } from '@gateway/service-kit'
import { eventually } from '@gateway/testkit'
import { startWebhookDispatcher, type RunningDispatcher } from '../src/service.ts'
import { anEvent, registerEndpoint } from './builders.ts'
import { OPERATOR_TOKEN, startFixture, type Fixture } from './fixture.ts'

/** The log names the actions of operators, and holds no secrets. */
const lines: string[] = []
const keep = (message: string, fields?: object) => void lines.push(JSON.stringify({ message, ...fields }))
const log: Log = { info: keep, warn: keep, error: keep, debug: keep }

let fixture: Fixture
let dispatcher: RunningDispatcher
beforeAll(async () => {
  fixture = await startFixture()
  dispatcher = await startWebhookDispatcher(fixture.config(), log)
})
afterAll(async () => {
  await stopAll(log, dispatcher.parts, 5000)
  await fixture.remove()
})

/** A delivery that ran out of attempts and holds values that no log may show. */
async function aDeadDelivery() {
  const merchantId = 'mer_operation'
  const api = await fixture.as(dispatcher, merchantId)
  const secret = await registerEndpoint(api, `${fixture.receiver.url}/hook-secret`)
  fixture.receiver.respondWith(() => ({ status: 500, body: 'excerpt-secret' }))
  const payer = { name: 'Payer Secret', vpa: 'payer.secret@okbank' }
  const event = anEvent(merchantId, { payer, udf1: 'udf-secret' })
  await fixture.publish(event)
  await fixture.deliveryIs(event.id, 'dead')
  return { id: event.id, merchantId, secret, api }
}

// Proves: api/operator-actions-are-audited, faults/logs-hold-no-personal-data
test('each use of the operator’s API is in the log, and no secret, payer, udf, URL or answer of a merchant is', async () => {
  const { id, merchantId, secret, api } = await aDeadDelivery()
  const operator = fixture.operator(dispatcher)
  await operator('GET', `/operator/v1/deliveries/dead?merchant_id=${merchantId}`)
  await operator('GET', `/operator/v1/deliveries/${id}`)
  await operator('POST', `/operator/v1/deliveries/${id}/replay`)
  await fixture.deliveryIs(id, 'dead')
  await operator('POST', '/operator/v1/deliveries/replay', { merchant_id: merchantId, limit: 5 })
  await api('POST', '/api/v1/webhooks/endpoint/rotate-secret')
  await api('POST', '/api/v1/webhooks/test')
  await fixture.publish({ ...anEvent(merchantId, { udf1: 'poison-secret' }), version: 2 as never })

  await eventually(() => {
    const actions = lines.map((line) => JSON.parse(line) as { what?: string; target?: string })
    expect(actions.flatMap(({ what, target }) => (what === 'operator.call' ? [target] : []))).toEqual([
      'GET /operator/v1/deliveries/dead',
      `GET /operator/v1/deliveries/${id}`,
      `POST /operator/v1/deliveries/${id}/replay`,
      'POST /operator/v1/deliveries/replay',
    ])
    expect(lines.join()).toContain('message dead-lettered')
  })
  const logged = lines.join('\n')
  expect(logged).toContain(merchantId)
  expect(logged).not.toMatch(/(?:hook|excerpt|udf|poison)-secret|Payer Secret|payer\.secret|whsec_/u)
  expect(logged).not.toContain(secret.slice('whsec_'.length))
  expect(logged).not.toContain(OPERATOR_TOKEN)
})

// Proves: api/operator-port-and-token
test('a merchant’s token opens no route of the operators', async () => {
  const asMerchant = await fixture.as({ port: dispatcher.operatorPort }, 'mer_operation')
  expect(await asMerchant('GET', '/operator/v1/deliveries/dead')).toMatchObject({ status: 401, body: { code: 'unauthorized' } })
})
