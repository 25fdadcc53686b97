import type { EndpointDocument } from '../src/endpoints/persistence/endpoints.ts'
import type { RunningDispatcher } from '../src/service.ts'
import { anEvent, codesOf, registerEndpoint } from './builders.ts'
import { RETRY_DELAYS_MS, startFixture, type Fixture } from './fixture.ts'

let fixture: Fixture
let dispatcher: RunningDispatcher
beforeAll(async () => {
  fixture = await startFixture()
  dispatcher = await fixture.start({}, { prefetch: 2 })
})
afterAll(() => fixture.remove())

async function aMerchant(merchantId: string) {
  const api = await fixture.as(dispatcher, merchantId)
  await registerEndpoint(api, fixture.receiver.url)
  return { merchantId, api }
}

// Proves: webhooks/secret-cannot-be-opened
test('a merchant whose secret cannot be opened holds up nobody, and gets its webhooks once the secret can be opened', async () => {
  const broken = await aMerchant('mer_broken_secret')
  const healthy = await aMerchant('mer_whole_secret')
  const endpoints = fixture.sandbox.client.db(fixture.database).collection<EndpointDocument>('endpoints')
  const sealed = (await endpoints.findOne({ _id: broken.merchantId }))?.secrets[0]?.sealed ?? ''
  const store = (text: string) => endpoints.updateOne({ _id: broken.merchantId }, { $set: { 'secrets.0.sealed': text } })
  await store('v1.lost.AAAA.AAAA')

  const events = Array.from({ length: 4 }, () => anEvent(broken.merchantId))
  const behind = anEvent(healthy.merchantId)
  for (const event of [...events, behind]) await fixture.publish(event)
  await fixture.deliveryIs(behind.id, 'delivered')
  for (const { id } of events) {
    const { attempts } = await fixture.deliveryIs(id, 'dead')
    expect(codesOf(attempts)).toEqual(Array(RETRY_DELAYS_MS.length + 1).fill('not_signed'))
  }
  expect(await broken.api('POST', '/api/v1/webhooks/test')).toMatchObject({
    status: 200,
    body: { data: { status_code: null, error: 'not_signed' } },
  })
  await fixture.queuesAreEmpty()

  await store(sealed)
  const [first] = events.map(({ id }) => id)
  const answer = await broken.api('POST', `/api/v1/webhooks/deliveries/${first}/resend`, { to: 'original' })
  expect(answer).toMatchObject({ status: 202 })
  await fixture.deliveryIs(String(first), 'delivered')
})
