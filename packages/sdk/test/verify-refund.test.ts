import { randomBytes } from 'node:crypto'
import { formatSigningSecret, type RefundStatusChanged, type RefundView } from '@gateway/contracts'
import { webhookOf } from '@gateway-services/webhook-dispatcher/deliveries/domain/webhook'
import { SignatureError, sign, verify, verifyRefund } from '@gateway/sdk'

const secret = formatSigningSecret(randomBytes(32))
const at = new Date('2026-01-01T12:00:06Z')
const refund: RefundView = {
  id: 'T1R01',
  refund_id: 'RF-1',
  order_id: 'ORD-1',
  transaction_id: 'T1',
  amount: '200.00',
  currency: 'INR',
  status: 'succeeded',
  pending_reason: null,
  failure_code: null,
  rrn: '998877665544',
  sequence: 2,
  reason: 'returned',
  note: '',
  created_at: '2026-01-01T12:00:00.000Z',
  updated_at: '2026-01-01T12:00:05.000Z',
  completed_at: '2026-01-01T12:00:05.000Z',
}

/** The body as the dispatcher makes it. */
function bodyOf(status: RefundView['status']): string {
  const event: RefundStatusChanged = {
    id: 'T1R01.2',
    type: 'refund.status-changed',
    version: 1,
    occurred_at: '2026-01-01T12:00:05.000Z',
    correlation_id: 'c',
    data: {
      ...refund,
      status,
      merchant_id: 'mer_1',
      reference: 'R1',
      method: 'upi',
      amount_paise: 20_000,
      captured_paise: 49_900,
      refunded_paise: 20_000,
    },
  }
  return webhookOf(event).body
}

// Proves: sdk/refund-webhooks-are-verified
test.each(['pending', 'succeeded', 'failed', 'returned'] as const)(
  'verifyRefund accepts the webhook of a %s refund',
  async (status) => {
    const body = bodyOf(status)
    const headers = await sign(body, secret, { id: 'T1R01.2', at })
    const expected = {
      id: 'T1R01.2',
      type: `refund.${status}`,
      timestamp: '2026-01-01T12:00:05.000Z',
      data: { ...refund, status },
    }
    expect(await verifyRefund(body, headers, secret, { now: at })).toEqual(expected)
    const foreign = formatSigningSecret(randomBytes(32))
    expect(await verifyRefund(Buffer.from(body), new Headers(headers), [foreign, secret], { now: at })).toEqual(expected)
  },
)

test('forged and old webhooks of refunds have the reasons of verify', async () => {
  const body = bodyOf('succeeded')
  const headers = await sign(body, secret, { at })
  const late = new Date(at.getTime() + 300_001)
  const foreign = formatSigningSecret(randomBytes(32))
  const expectRefusal = async (attempt: Promise<unknown>, reason: string) => {
    const failed: unknown = await attempt.catch((error: unknown) => error)
    expect(failed).toBeInstanceOf(SignatureError)
    expect(failed).toMatchObject({ reason })
  }
  await expectRefusal(verifyRefund(body.replace('200.00', '900.00'), headers, secret, { now: at }), 'signature_mismatch')
  await expectRefusal(verifyRefund(body, headers, foreign, { now: at }), 'signature_mismatch')
  await expectRefusal(verifyRefund(body, headers, secret, { now: late }), 'timestamp_too_old')
  await expectRefusal(verifyRefund(body, {}, secret, { now: at }), 'header_missing')
})

test('a genuine body of another shape is an error, not a forgery; verify and verifyRefund keep apart', async () => {
  const payment = JSON.stringify({ txnid: 'T1', merchantTxnId: 'ORD-1', status: 'Success', amount: '499.00' })
  const otherType = bodyOf('succeeded').replace('refund.succeeded', 'payment.succeeded')
  for (const body of ['', '{', 'null', '[]', '{"type":"refund.failed"}', '{"data":null}', payment, otherType]) {
    const failed = verifyRefund(body, await sign(body, secret, { at }), secret, { now: at })
    await expect(failed).rejects.toMatchObject({ name: 'GatewayError', message: /not the status of a refund/u })
  }
  const body = bodyOf('pending')
  const failed = verify(body, await sign(body, secret, { at }), secret, { now: at })
  await expect(failed).rejects.toMatchObject({ name: 'GatewayError', message: /not the status of a payment/u })
})
