/** Calls that checkout makes of the network, made directly: right ones, and such as a faulty caller would make. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { NETWORK_PATHS } from '@gateway/contracts'
import { anOrder, jsonClient } from '@gateway/testkit'
import type { RunningStack } from '../support/running-stack.ts'

/** Starts payments with these cards; the outcome is the test's only by what is left behind. */
export async function startPayments({ description, stateDir }: RunningStack, numbers: readonly string[]): Promise<void> {
  const secrets = JSON.parse(readFileSync(join(stateDir, 'secrets.json'), 'utf8')) as { networkApiKey: string }
  const call = jsonClient(description.network_url, { authorization: `Bearer ${secrets.networkApiKey}` })
  for (const number of numbers) {
    const attemptId = `direct-${anOrder().order_id}`
    const right = {
      attempt_id: attemptId,
      tr: 'NOBODYSORDER',
      method: 'credit_card',
      amount: '499.00',
      currency: 'INR',
      description: '',
      return_url: 'https://shop.example/back',
      card: { number, expiry_month: '12', expiry_year: '2034', cvv: '123', name: 'Asha Rao' },
    }
    const key = { 'idempotency-key': attemptId }
    expect((await call('POST', NETWORK_PATHS.payments, right, key)).status).toBe(201)
    const faulty = [
      { ...right, card: { ...right.card, name: number } },
      { ...right, card: { ...right.card, number: `${number} ` } },
      { ...right, card: { ...right.card, cvv: number } },
      { ...right, card: number },
      { ...right, method: 'netbanking', netbanking: { bank: number } },
      `${JSON.stringify(right)}}`,
      JSON.stringify(right).slice(0, -20),
      `"${number}`,
    ]
    for (const body of faulty) await call('POST', NETWORK_PATHS.payments, body, key)
    await call('POST', NETWORK_PATHS.payments, { ...right, attempt_id: `${attemptId}-2` }, { 'idempotency-key': number })
    await call('GET', `${NETWORK_PATHS.payments}?tr=${number}`)
  }
}
