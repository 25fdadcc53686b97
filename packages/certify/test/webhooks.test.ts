import { randomBytes } from 'node:crypto'
import { Webhook as Verifier } from 'standardwebhooks'
import {
  changedBodies,
  claimed,
  foreignSecret,
  genuine,
  testEvent,
  unsigned,
  unusual,
  withForeignSignatureFirst,
} from '../src/webhooks.ts'
import { createInbox } from '../src/wire/inbox.ts'

const secret = `whsec_${randomBytes(32).toString('base64')}`
const verifier = new Verifier(secret)
const event = {
  id: 'evt_1',
  orderId: 'ORD-1',
  sequence: 1,
  status: 'Initiate',
  body: JSON.stringify({ txnid: 'T1', merchantTxnId: 'ORD-1', amount: '499.00', status: 'Initiate' }),
}
const isGenuine = ({ body, headers }: Awaited<ReturnType<typeof genuine>>): boolean => {
  try {
    verifier.verify(body, headers)
    return true
  } catch {
    return false
  }
}

test('the published library accepts the genuine ones and refuses the forged ones', async () => {
  const sent = await genuine(event, secret, { attempt: 2 })
  expect(sent.body).toBe(event.body)
  expect(sent.headers).toMatchObject({ 'webhook-id': 'evt_1', 'webhook-attempt': '2', 'webhook-sequence': '1' })
  const accepted = [
    sent,
    await genuine(unusual(event), secret),
    await genuine(claimed(event, 'Success', 2), secret),
    await withForeignSignatureFirst(sent, foreignSecret()),
    await testEvent(secret),
  ]
  expect(accepted.map(isGenuine)).toEqual(accepted.map(() => true))
  const sixMinutes = 6 * 60_000
  const forged = [
    unsigned(sent),
    await genuine(event, foreignSecret()),
    ...changedBodies(sent),
    await genuine(event, secret, { at: new Date(Date.now() - sixMinutes) }),
    await genuine(event, secret, { at: new Date(Date.now() + sixMinutes) }),
  ]
  expect(forged).toHaveLength(6)
  expect(forged.map(isGenuine)).toEqual(forged.map(() => false))
})

test('an unusual body has the same facts, other bytes, Hindi text and an additional field', () => {
  const { body } = unusual(event)
  expect(JSON.parse(body)).toEqual({ ...(JSON.parse(event.body) as object), note: 'नीली कमीज़ ✓' })
  expect(body).toContain('नीली')
  expect(body).toContain(String.raw`\u2713`)
  expect(JSON.stringify(JSON.parse(body))).not.toBe(body)
})

test('a changed body differs in one byte, or is one byte longer', async () => {
  const sent = await genuine(event, secret)
  const [digit, space] = changedBodies(sent)
  expect(digit?.body).toBe(event.body.replace('499.00', '999.00'))
  expect(space?.body).toBe(`${event.body} `)
})

test('the inbox gives the events of an order by sequence, once none is missing', async () => {
  const inbox = createInbox()
  const add = (sequence: number, status: string) =>
    inbox.add({
      headers: { 'webhook-id': `evt_${sequence}`, 'webhook-sequence': String(sequence) },
      body: JSON.stringify({ merchantTxnId: 'ORD-1', status }),
    })
  add(3, 'Success')
  add(1, 'Initiate')
  await expect(inbox.until('ORD-1', 'Success', 1)).rejects.toThrow(/no event with the status Success for ORD-1/u)
  const waiting = inbox.until('ORD-1', 'Success', 10_000)
  add(2, 'Pending')
  add(4, 'Failed')
  expect((await waiting).map(({ sequence }) => sequence)).toEqual([1, 2, 3])
})
