/** Checkout's calls of the network, sent directly: correct ones, and ones that a faulty caller could send. */
import { NETWORK_PATHS } from '@gateway/contracts'
import { anOrder, jsonClient } from '@gateway/testkit'
import { ensureSecrets } from '@gateway-infra/local/secrets'
import type { RunningStack } from '../support/running-stack.ts'

/** Starts payments with these cards. Their outcome does not matter: the test searches what they leave behind. */
export async function startPayments({ description, stateDir }: RunningStack, numbers: readonly string[]): Promise<void> {
  const call = jsonClient(description.network_url, { authorization: `Bearer ${ensureSecrets(stateDir).networkApiKey}` })
  for (const number of numbers) {
    const attemptId = `direct-${anOrder().order_id}`
    const correct = {
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
    expect((await call('POST', NETWORK_PATHS.payments, correct, key)).status).toBe(201)
    const faulty = [
      { ...correct, card: { ...correct.card, name: number } },
      { ...correct, card: { ...correct.card, number: `${number} ` } },
      { ...correct, card: { ...correct.card, cvv: number } },
      { ...correct, card: number },
      { ...correct, method: 'netbanking', netbanking: { bank: number } },
      `${JSON.stringify(correct)}}`,
      JSON.stringify(correct).slice(0, -20),
      `"${number}`,
    ]
    for (const body of faulty) await call('POST', NETWORK_PATHS.payments, body, key)
    await call('POST', NETWORK_PATHS.payments, { ...correct, attempt_id: `${attemptId}-2` }, { 'idempotency-key': number })
    await call('GET', `${NETWORK_PATHS.payments}?tr=${number}`)
  }
}
