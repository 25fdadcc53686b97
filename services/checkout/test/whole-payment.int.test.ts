import type { TransactionView } from '@gateway/contracts'
import { eventually } from '@gateway/testkit'
import { BANK, CARD, newShopper, OTHER_CARD, payFields, type Shopper } from './shopper.ts'
import { startWorld, type World } from './world.ts'

/** The page with the real payment-status and the real simulator: from the form to the status, with callbacks and enquiries. */
let world: World
beforeAll(async () => (world = await startWorld()))
afterAll(() => world.stop())

const becomes = (id: string, fields: Partial<TransactionView>) =>
  eventually(async () => expect(await world.view(id)).toMatchObject(fields), { deadlineMs: 30_000 })

/** Follows the page to the bank or issuer, sends its form, and expects the redirect back. */
async function atBank(shopper: Shopper, path: string, form: Record<string, string>): Promise<void> {
  const html = await (await shopper.get(`${path}/bank`)).text()
  const address = /<a class="button" href="([^"]+)"/u.exec(html)?.[1]?.replaceAll('&amp;', '&') ?? ''
  const answer = await fetch(address, { method: 'POST', body: new URLSearchParams(form), redirect: 'manual' })
  expect(answer.headers.get('location')).toBe(world.url + path)
}

test('a card, confirmed on the issuer’s page', async () => {
  const { id, path } = world.order()
  const shopper = newShopper(world)
  const page = await shopper.open(path)
  const paid = await shopper.post(`${path}/pay`, payFields(page))
  expect([paid.status, paid.headers.get('location')]).toEqual([303, `${path}/bank`])
  expect(await world.view(id)).toMatchObject({ status: 'Pending', attempts: [{ id: page.attemptId, status: 'open' }] })
  // Another card in a second tab while this one is open: the network gets only the first card.
  const second = await shopper.post(`${path}/pay`, payFields(page, OTHER_CARD))
  expect([second.headers.get('location'), shopper.cookies.get('checkout_notice')?.value]).toEqual([path, 'already_started'])

  await atBank(shopper, path, { action: 'otp', otp: '123456' })
  await becomes(id, { status: 'Success', method: 'credit_card' })
  expect((await world.view(id)).attempts).toHaveLength(1)
  expect((await shopper.open(path)).html).toContain('Payment successful')
})

// Proves: spec/one-integration-accepts-cards-net-banking
test('declined at one bank, then paid at another', async () => {
  const { id, path } = world.order({ max_attempts: 2 })
  const shopper = newShopper(world)
  const first = await shopper.open(path)
  await shopper.post(`${path}/pay`, payFields(first, BANK))
  await atBank(shopper, path, { action: 'failure' })
  await becomes(id, { status: 'Pending', payable: true, attempts_left: 1 })

  const next = await shopper.open(path)
  expect(next.html).toContain('Payment declined')
  await shopper.post(`${path}/pay`, payFields(next, { bank: 'PASS' }))
  await becomes(id, { status: 'Success', method: 'netbanking' })
  expect((await world.view(id)).attempts).toMatchObject([
    { id: first.attemptId, status: 'failed' },
    { id: next.attemptId, status: 'succeeded' },
  ])
})

test('another way while the first attempt is open: the first can still be paid, and the first success wins', async () => {
  const { id, path } = world.order({ max_attempts: 2 })
  const shopper = newShopper(world)
  const first = await shopper.open(path)
  await shopper.post(`${path}/pay`, payFields(first, BANK))
  const left = (await (await shopper.get(`${path}/bank`)).text()).match(/<a class="button" href="([^"]+)"/u)?.[1] ?? ''
  const waiting = await shopper.open(path)
  await shopper.post(`${path}/another-way`, { csrf: waiting.csrf, attempt_id: waiting.attemptId })
  await becomes(id, { payable: true })

  await shopper.post(`${path}/pay`, payFields(await shopper.open(path), CARD))
  await fetch(left, { method: 'POST', body: new URLSearchParams({ action: 'success' }), redirect: 'manual' })
  await becomes(id, { status: 'Success', method: 'netbanking' })
})

test('double click and two tabs: one attempt, paid once', async () => {
  const { id, path } = world.order({ max_attempts: 3 })
  const shopper = newShopper(world)
  const page = await shopper.open(path)
  const answers = await Promise.all([1, 2, 3].map(() => shopper.post(`${path}/pay`, payFields(page, { bank: 'PASS' }))))
  for (const answer of answers) expect([answer.status, answer.headers.get('location')]).toEqual([303, path])
  await becomes(id, { status: 'Success' })
  expect((await world.view(id)).attempts).toHaveLength(1)
})

test('the bank is down and the shopper cancels: the enquiry finds no payment, and the order fails', async () => {
  const { id, path } = world.order()
  const shopper = newShopper(world)
  const page = await shopper.open(path)
  expect((await shopper.post(`${path}/pay`, payFields(page, { bank: 'DOWN' }))).headers.get('location')).toBe(path)
  expect((await shopper.open(path)).html).toContain('Waiting for your bank')
  await shopper.post(`${path}/cancel`, { csrf: page.csrf })
  await becomes(id, { status: 'Failed', failure_reason: 'cancelled' })
})

test('the answer to the start is lost: the retry with the same attempt leads the shopper to the bank', async () => {
  const { id, path } = world.order()
  const shopper = newShopper(world)
  await shopper.post(`${path}/pay`, payFields(await shopper.open(path), { bank: 'LOST' }))
  await atBank(shopper, path, { action: 'success' })
  await becomes(id, { status: 'Success' })
})
