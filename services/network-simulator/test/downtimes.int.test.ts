import { downtimes, type Downtime } from '@gateway/contracts'
import { API_KEY, startFixture, type Fixture } from './fixture.ts'

let fixture: Fixture
beforeAll(async () => (fixture = await startFixture()))
afterAll(() => fixture.stop())

const authorization = { authorization: `Bearer ${API_KEY}` }
const set = (list: unknown) => fixture.call<Downtime[]>('PUT', '/sandbox/downtimes', list)
const listed = async () => (await fixture.call<Downtime[]>('GET', '/network/v1/downtimes', undefined, authorization)).body

// Proves: connector/simulator-downtimes
test('the connector lists the downtimes that a tester has set, until the tester sets others', async () => {
  expect(await listed()).toEqual([])
  const ended_at = '2035-01-01T00:00:00Z'
  const { status, body } = await set([
    { method: 'upi', severity: 'high' },
    { method: 'netbanking', instrument: 'HDFC', severity: 'medium', began_at: '2026-01-01T00:00:00Z', ended_at },
  ])
  expect([status, downtimes(body)]).toEqual([200, true])
  expect(body).toMatchObject([
    { method: 'upi', instrument: null, severity: 'high', ended_at: null },
    { method: 'netbanking', instrument: 'HDFC', severity: 'medium', began_at: '2026-01-01T00:00:00Z', ended_at },
  ])
  expect(Math.abs(Date.parse(body[0]?.began_at ?? '') - Date.now())).toBeLessThan(10_000)
  expect([await listed(), (await fixture.call('GET', '/sandbox/downtimes')).body]).toEqual([body, body])
  await set([])
  expect(await listed()).toEqual([])
})

// Proves: connector/simulator-downtimes
test('the list needs the API key, and an invalid one changes nothing', async () => {
  expect((await fixture.call('GET', '/network/v1/downtimes')).status).toBe(401)
  await set([{ method: 'upi', severity: 'low' }])
  for (const wrong of [
    {},
    [{ method: 'cash', severity: 'high' }],
    [{ method: 'upi', severity: 'high', more: 1 }],
    [{ method: 'upi' }],
  ])
    expect((await set(wrong)).status).toBe(422)
  expect(await listed()).toMatchObject([{ method: 'upi', severity: 'low' }])
})
