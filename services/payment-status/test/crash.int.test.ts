import { eventually, freePort, jsonClient, startChildService } from '@gateway/testkit'
import { CALLER_TOKENS, startFixture, type Fixture } from './fixture.ts'
import { CALLBACK_SECRET, sendReport } from './messages.ts'

/** Any living replica repairs what a killed one left behind; here it is the fixture's. */
let fixture: Fixture
beforeAll(async () => {
  fixture = await startFixture()
})
afterAll(() => fixture.stop())

// Proves: faults/crash-around-publish
test.each(['before publish', 'after publish'])(
  'killed %s: the status is kept and its event goes out',
  async (crashAt) => {
    const { config } = fixture
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
        JWKS_URL: fixture.jwksUrl,
        ORDER_API_URL: config.orderApiUrl,
        NETWORK_URL: config.networkUrl,
        NETWORK_API_KEY: config.networkApiKey,
        NETWORK_CALLBACK_SECRET: CALLBACK_SECRET,
        SERVICE_TOKEN: config.serviceToken,
        CALLER_TOKENS: `checkout:${String(CALLER_TOKENS.get('checkout')?.[0])}`,
        PUBLIC_URL: config.publicUrl,
        CHECKOUT_LINK_KEY: config.checkoutLinkKey.export().toString('base64'),
      },
    })
    const { data } = await fixture.open()
    await sendReport(jsonClient(`http://127.0.0.1:${port}`), { tr: data.transaction_id }).catch(() => undefined)
    expect(await child.ended).toBe('SIGKILL')

    expect(await fixture.document(data.transaction_id)).toMatchObject({ status: 'Success', sequence: 2 })
    await eventually(
      async () => {
        const events = await fixture.events(data.transaction_id)
        expect(events.map(({ id }) => id)).toEqual([`${data.transaction_id}.1`, `${data.transaction_id}.2`])
        expect(await fixture.document(data.transaction_id)).toMatchObject({ outbox: [] })
      },
      { deadlineMs: 30_000 },
    )
  },
  180_000,
)
