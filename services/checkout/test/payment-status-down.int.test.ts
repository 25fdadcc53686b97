import type { JsonReply, JsonRequest } from '@gateway/testkit'
import { paymentStatusAnswer } from './fake-payment-status.ts'
import { startFixture, type Fixture } from './fixture.ts'
import { newShopper, payFields } from './shopper.ts'

/** payment-status down at each step: before the commit no attempt starts, after it the page waits. */
let fixture: Fixture
beforeAll(async () => (fixture = await startFixture()))
afterAll(() => fixture.stop())
afterEach(() => fixture.restorePaymentStatus())

const startsOf = (id: string) => fixture.network.starts.filter(({ tr }) => tr === id)
const isCommit = ({ method, path }: JsonRequest): boolean => method === 'POST' && path.endsWith('/attempts')
/** Answers as payment-status does, except for the requests that `matches` selects. */
const fail = (id: string, matches: (request: JsonRequest) => boolean, reply: JsonReply): void => {
  const views = new Map([[id, fixture.view(id)]])
  fixture.paymentStatus.answer((request) => (matches(request) ? reply : paymentStatusAnswer(request, views)))
}

const replies: [string, JsonReply][] = [
  ['resets', 'reset'],
  ['answers 500', { status: 500 }],
  ['answers 503', { status: 503 }],
  ['answers nonsense', { status: 201, body: { id: 'T1' } }],
  ['hangs', 'hang'],
]

test.each(replies)(
  'it %s when the view is read: no attempt is committed or started, and the page tries again',
  async (_name, reply) => {
    const { id, path } = fixture.payment()
    const shopper = newShopper(fixture)
    const page = await shopper.open(path)
    fail(id, ({ method }) => method === 'GET', reply)
    const response = await shopper.post(`${path}/pay`, payFields(page))
    const html = await response.text()
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5'])
    expect(html).toContain('One moment, please')
    // The refresh loads the page, not the address of the form.
    expect(html).toMatch(new RegExp(`content="5; ?url=${path}"`, 'u'))
    expect([
      startsOf(id).length,
      fixture.paymentStatus.requests.filter((sent) => isCommit(sent) && sent.path.includes(id)).length,
    ]).toEqual([0, 0])
  },
)

test.each(replies)('it %s at the commit: no attempt starts, and the form can be sent again', async (_name, reply) => {
  const { id, path } = fixture.payment()
  const shopper = newShopper(fixture)
  const page = await shopper.open(path)
  fail(id, isCommit, reply)
  expect((await shopper.post(`${path}/pay`, payFields(page))).status).toBe(503)
  expect(startsOf(id)).toEqual([])

  fixture.restorePaymentStatus()
  expect((await shopper.post(`${path}/pay`, payFields(page))).headers.get('location')).toBe(`${path}/bank`)
  expect(fixture.view(id).attempts).toHaveLength(1)
})

test('the answer to the commit is lost: the repeated commit is the same attempt, and it starts once', async () => {
  const { id, path } = fixture.payment()
  const shopper = newShopper(fixture)
  const page = await shopper.open(path)
  const views = new Map([[id, fixture.view(id)]])
  let lost = 0
  fixture.paymentStatus.answer((request) => {
    const answer = paymentStatusAnswer(request, views)
    if (!isCommit(request) || lost > 0) return answer
    lost += 1
    return 'reset'
  })
  expect((await shopper.post(`${path}/pay`, payFields(page))).headers.get('location')).toBe(`${path}/bank`)
  expect(views.get(id)?.attempts).toMatchObject([{ id: page.attemptId, status: 'open' }])
  expect(startsOf(id)).toHaveLength(1)
})

test('payment-status goes down after the commit: the start continues, and the bank can be reached once it is back', async () => {
  const { id, path } = fixture.payment()
  const shopper = newShopper(fixture)
  const page = await shopper.open(path)
  fixture.network.answer(() => {
    fixture.paymentStatus.answer(() => 'reset')
    fixture.network.restore()
    return 'reset'
  })
  expect((await shopper.post(`${path}/pay`, payFields(page))).headers.get('location')).toBe(`${path}/bank`)
  expect((await shopper.get(`${path}/bank`)).status).toBe(503)
  fixture.restorePaymentStatus()
  expect((await shopper.get(`${path}/bank`)).status).toBe(200)
  expect(fixture.network.charges.get(page.attemptId)?.tr).toBe(id)
})

test.each(['another-way', 'cancel'])('%s while it is down: a page that tries again, and no change', async (action) => {
  const { id, path } = fixture.payment({ attempts_left: 2 })
  const shopper = newShopper(fixture)
  const page = await shopper.open(path)
  await shopper.post(`${path}/pay`, payFields(page))
  const before = fixture.view(id)
  fixture.paymentStatus.answer(() => 'reset')
  const response = await shopper.post(`${path}/${action}`, { csrf: page.csrf, attempt_id: page.attemptId })
  expect(response.status).toBe(503)
  expect(fixture.view(id)).toEqual(before)
})

test('the live state answers 503, so that the page’s script tries again', async () => {
  const { path } = fixture.payment()
  fixture.paymentStatus.answer(() => 'reset')
  expect((await newShopper(fixture).get(`${path}/state`)).status).toBe(503)
})
