import { eventually } from '@gateway/testkit'
import { startFixture, type Fixture } from './fixture.ts'

let fixture: Fixture
beforeAll(async () => (fixture = await startFixture()))
afterAll(() => fixture.stop())

interface Shown {
  readonly title: string
  readonly key: string
  readonly over: boolean
  readonly html: string
}

interface Listening {
  readonly shown: Shown[]
  /** Resolves when the server ends the stream. */
  readonly ended: Promise<void>
  close(): void
}

/** Reads an event stream as a browser does. */
async function listen(path: string): Promise<Listening> {
  const abort = new AbortController()
  const response = await fetch(`${fixture.url}${path}/events`, { signal: abort.signal })
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toContain('text/event-stream')
  const shown: Shown[] = []
  const read = async (): Promise<void> => {
    let text = ''
    for await (const chunk of response.body ?? []) {
      text += Buffer.from(chunk).toString('utf8')
      const blocks = text.split('\n\n')
      text = blocks.pop() ?? ''
      for (const block of blocks) {
        const [, data] = /^event: payment\ndata: (.+)$/u.exec(block) ?? []
        if (data !== undefined) shown.push(JSON.parse(data) as Shown)
      }
    }
  }
  return { shown, ended: read().catch(() => undefined), close: () => abort.abort() }
}

const keys = ({ shown }: Listening): string[] => shown.map(({ key }) => key)

/** Listens to a payment that is still open in the first event; a slow machine needs a later expiry. */
async function listenBeforeExpiry(lastsMs: number): Promise<Listening> {
  const { path } = fixture.payment({ expires_at: new Date(Date.now() + lastsMs).toISOString() })
  const listening = await listen(path)
  await eventually(() => expect(keys(listening)).not.toEqual([]))
  if (keys(listening)[0] === 'choose:0:none') return listening
  listening.close()
  return listenBeforeExpiry(2 * lastsMs)
}

test('sends the current state, each change, and then ends', async () => {
  const { id, path } = fixture.payment()
  const listening = await listen(path)
  await eventually(() => expect(keys(listening)).toEqual(['choose:0:none']))

  fixture.change(id, { status: 'Pending', payable: false })
  await eventually(() => expect(keys(listening)).toEqual(['choose:0:none', 'waiting:network:only']))
  // A new version that looks the same is not sent again.
  fixture.change(id, {})
  fixture.change(id, { status: 'Success' })
  await listening.ended
  expect(keys(listening)).toEqual(['choose:0:none', 'waiting:network:only', 'success'])
  expect(listening.shown.at(-1)).toMatchObject({ title: 'Payment successful · Asha & Sons', over: true })
  expect(listening.shown.at(-1)?.html).toContain('status=Success')
})

test('sends an update when an order expires without a new view', async () => {
  const listening = await listenBeforeExpiry(700)
  await eventually(() => expect(keys(listening)).toEqual(['choose:0:none', 'closing:expired']))
  listening.close()
})

test('a finished payment is sent once, and the stream ends', async () => {
  const { path } = fixture.payment({ status: 'Failed', failure_reason: 'declined' })
  const listening = await listen(path)
  await listening.ended
  expect(keys(listening)).toEqual(['failed:declined'])
})

test('all pages of one payment share one poll, which ends with the last page', async () => {
  const { id, path } = fixture.payment()
  const first = await listen(path)
  await eventually(() => expect(first.shown).toHaveLength(1))
  const others = await Promise.all([1, 2, 3, 4].map(() => listen(path)))
  await eventually(() => expect(others.every(({ shown }) => shown.length === 1)).toBe(true))

  const before = fixture.pollsOf(id)
  const another = fixture.payment()
  const clock = await listen(another.path)
  const ticks = fixture.pollsOf(another.id)
  await eventually(() => expect(fixture.pollsOf(another.id)).toBeGreaterThanOrEqual(ticks + 4))
  // Five pages together were polled about as often as one page alone.
  expect(fixture.pollsOf(id) - before).toBeLessThanOrEqual(fixture.pollsOf(another.id) + 2)

  for (const listening of [first, ...others]) listening.close()
  await eventually(async () => {
    const looks = fixture.pollsOf(id)
    const seen = fixture.pollsOf(another.id)
    await eventually(() => expect(fixture.pollsOf(another.id)).toBeGreaterThanOrEqual(seen + 3))
    expect(fixture.pollsOf(id)).toBe(looks)
  })
  clock.close()
})

test('too many pages of one payment get 503 with Retry-After', async () => {
  const { path } = fixture.payment()
  const listening = await Promise.all(Array.from({ length: 20 }, () => listen(path)))
  const refused = await fetch(`${fixture.url}${path}/events`)
  expect(refused.status).toBe(503)
  expect(refused.headers.get('retry-after')).toBe('5')
  for (const page of listening) page.close()
  await eventually(async () => {
    const again = await fetch(`${fixture.url}${path}/events`)
    await again.body?.cancel()
    expect(again.status).toBe(200)
  })
})

test('payment-status down: the stream stays open, and continues when it is back', async () => {
  const { id, path } = fixture.payment()
  const listening = await listen(path)
  await eventually(() => expect(keys(listening)).toEqual(['choose:0:none']))

  const before = fixture.pollsOf(id)
  fixture.paymentStatus.answer(() => 'reset')
  await eventually(() => expect(fixture.pollsOf(id)).toBeGreaterThanOrEqual(before + 2))
  fixture.change(id, { status: 'Success' })
  fixture.restorePaymentStatus()
  await listening.ended
  expect(keys(listening)).toEqual(['choose:0:none', 'success'])
})

test('an invalid link has no stream', async () => {
  expect((await fetch(`${fixture.url}/checkout/garbage/events`)).status).toBe(404)
})
