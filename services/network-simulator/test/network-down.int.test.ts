import { newTransactionId } from '@gateway/contracts'
import { eventually } from '@gateway/testkit'
import { API_KEY, startFixture, type Fixture } from './fixture.ts'

/** Instruments whose network is down when a payment is started. */
let fixture: Fixture
beforeAll(async () => (fixture = await startFixture()))
afterAll(() => fixture.stop())

const authorization = { authorization: `Bearer ${API_KEY}` }
let attempts = 0

function aStart(instrument: { readonly bank: string } | { readonly number: string }) {
  const card = { expiry_month: '12', expiry_year: '2030', cvv: '987', name: 'Asha Rao' }
  return {
    attempt_id: `attempt-${String(++attempts)}`,
    tr: newTransactionId(new Date(), 0),
    amount: '499.00',
    currency: 'INR',
    description: '',
    return_url: 'https://pay.example/checkout/x',
    ...('bank' in instrument
      ? { method: 'netbanking', netbanking: instrument }
      : { method: 'credit_card', card: { ...card, ...instrument } }),
  }
}
const start = (body: ReturnType<typeof aStart>, signal: AbortSignal | null = null) =>
  fetch(`${fixture.url}/network/v1/payments`, {
    method: 'POST',
    headers: { ...authorization, 'content-type': 'application/json', 'idempotency-key': body.attempt_id },
    body: JSON.stringify(body),
    signal,
  })
const enquire = async (tr: string) =>
  (await fixture.call<{ payments: object[] }>('GET', `/network/v1/payments?tr=${tr}`, undefined, authorization)).body.payments

test.each([{ number: '4000000000005027' }, { bank: 'DOWN' }])('%j: 503 each time, and no payment starts', async (instrument) => {
  const body = aStart(instrument)
  for (let times = 0; times < 2; times++) {
    const answer = await start(body)
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1'])
    expect(await answer.json()).toMatchObject({ code: 'network_unavailable' })
  }
  expect(await enquire(body.tr)).toEqual([])
})

test.each([{ number: '4000000000005019' }, { bank: 'HANG' }])('%j: no answer, and no payment starts', async (instrument) => {
  const body = aStart(instrument)
  const giveUp = new AbortController()
  let isAnswered = false
  const asked = start(body, giveUp.signal).then(() => (isAnswered = true))
  // The simulator has handled the first start by now, because it answers a later one.
  expect((await start(aStart({ bank: 'PASS' }))).status).toBe(201)
  expect(isAnswered).toBe(false)
  giveUp.abort()
  await expect(asked).rejects.toThrow(/abort/u)
  expect(await enquire(body.tr)).toEqual([])
})

// Proves: page/lost-answer-is-repeated-with-its-key
test.each([{ number: '4000000000005035' }, { bank: 'LOST' }])(
  '%j: the payment starts, and only the repeated request is answered',
  async (instrument) => {
    const body = aStart(instrument)
    await expect(start(body)).rejects.toThrow()
    await eventually(async () =>
      expect(await enquire(body.tr)).toMatchObject([{ outcome: 'pending', attempt_id: body.attempt_id }]),
    )
    const again = await start(body)
    expect(again.status).toBe(201)
    expect(await again.json()).toMatchObject({ status: 'pending', redirect_url: expect.stringContaining('/bank/') })
    expect(await enquire(body.tr)).toHaveLength(1)
  },
)
