import { anOrder, eventually, freePort, jsonClient, startChildService, startTestTokens, type TestTokens } from '@gateway/testkit'
import { CALLER_TOKEN, startFixture, type Fixture } from './fixture.ts'

/** Any living replica repairs what a killed one left behind; here it is the fixture's. */
let fixture: Fixture
let tokens: TestTokens
beforeAll(async () => {
  fixture = await startFixture()
  tokens = await startTestTokens()
})
afterAll(async () => {
  await tokens.stop()
  await fixture.stop()
})

// Proves: faults/crash-around-publish
test.each(['before publish', 'after publish'])(
  'killed %s: the order is there, and its event reaches the queue',
  async (crashAt) => {
    const { config, queue, sandbox } = fixture
    const before = await sandbox.messageCount(queue)
    const port = await freePort()
    const child = await startChildService({
      script: new URL('./crash-child.ts', import.meta.url),
      readyUrl: `http://127.0.0.1:${port}/readyz`,
      env: {
        CRASH_AT: crashAt,
        ENVIRONMENT: 'sandbox',
        PORT: String(port),
        MONGO_URL: config.mongoUrl,
        DATABASE: config.database,
        AMQP_URL: config.amqpUrl,
        AMQP_PREFIX: config.amqpPrefix,
        JWKS_URL: tokens.jwksUrl,
        CALLER_TOKENS: `payment-status:${CALLER_TOKEN}`,
        PUBLIC_URL: config.publicUrl,
        CHECKOUT_LINK_KEY: config.checkoutLinkKey.export().toString('base64'),
      },
    })
    const order = anOrder()
    const client = jsonClient(`http://127.0.0.1:${port}`, await tokens.authorizationFor({ merchantId: 'M1' }))
    // The process may die before it answers; the stored order must survive either way.
    await client('POST', '/api/v1/orders/create', order).catch(() => undefined)
    expect(await child.ended).toBe('SIGKILL')

    const stored = async () => (await fixture.documents()).find(({ _id }) => _id === `M1:${order.order_id}`)
    expect(await stored()).toMatchObject({ outbox: [{ type: 'order.created' }] })
    await eventually(async () => expect(await stored()).toMatchObject({ outbox: [] }), { deadlineMs: 30_000 })
    expect(await sandbox.messageCount(queue)).toBe(before + (crashAt === 'after publish' ? 2 : 1))
  },
  180_000,
)
