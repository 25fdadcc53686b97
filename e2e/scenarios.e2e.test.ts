/** Everything that a UPI payment can do, through the gateway: final search, reversals, exact webhooks (design, section 4). */
import { findProblems, type Evidence } from './demo/check.ts'
import { lookAgain, runScenario } from './demo/run-scenario.ts'
import type { Scenario } from './demo/scenarios.ts'
import { findLeaks } from './support/leaks.ts'
import { startStack, type RunningStack } from './support/running-stack.ts'
import { openShop, type Shop } from './support/shop.ts'
import { upiApp } from './support/upi-app.ts'

const paid = { amount: '499.00', refusals: 0 }
const success = { statuses: ['Initiate', 'Success'], failureReason: null, reversal: null } as const
const expired = { statuses: ['Initiate', 'Failed'], failureReason: 'expired', reversal: null } as const

const SCENARIOS: readonly Scenario[] = [
  { ...paid, name: 'success', about: 'pays', vpa: 'success@sandbox', expected: success },
  { ...paid, name: 'other', about: 'any other VPA pays', vpa: 'asha.rao-1@okbank', expected: success },
  {
    ...paid,
    name: 'failure',
    about: 'is declined',
    vpa: 'failure@sandbox',
    expected: { statuses: ['Initiate', 'Failed'], failureReason: 'declined', reversal: null },
  },
  {
    ...paid,
    name: 'slow',
    about: 'is pending first',
    vpa: 'slow@sandbox',
    expected: { ...success, statuses: ['Initiate', 'Pending', 'Success'] },
  },
  {
    ...paid,
    name: 'resolved',
    about: 'is pending until it is resolved',
    vpa: 'pending@sandbox',
    andThen: async ({ app, transactionId, becomes }) => {
      await becomes('Pending')
      await app.resolve(transactionId, 'success')
    },
    expected: { ...success, statuses: ['Initiate', 'Pending', 'Success'] },
  },
  {
    ...paid,
    name: 'refused',
    about: 'is pending until it is declined',
    vpa: 'pending@sandbox',
    andThen: async ({ app, transactionId, becomes }) => {
      await becomes('Pending')
      await app.resolve(transactionId, 'failure')
    },
    expected: { statuses: ['Initiate', 'Pending', 'Failed'], failureReason: 'declined', reversal: null },
  },
  { ...paid, name: 'duplicate', about: 'is reported five times', vpa: 'duplicate@sandbox', expected: success },
  { ...paid, name: 'reordered', about: 'is reported pending after its success', vpa: 'reordered@sandbox', expected: success },
  {
    ...paid,
    name: 'mismatch',
    about: 'is of another amount',
    vpa: 'mismatch@sandbox',
    expected: {
      statuses: ['Initiate', 'Failed'],
      failureReason: 'amount_mismatch',
      reversal: { reason: 'amount_mismatch', amount: '498.00' },
    },
  },
  {
    ...paid,
    name: 'late',
    about: 'succeeds after the order has expired',
    vpa: 'late@sandbox',
    expiresInSeconds: 5,
    expected: { ...expired, reversal: { reason: 'late', amount: '499.00' } },
  },
  {
    ...paid,
    name: 'silent',
    about: 'is found by the enquiry at the end',
    vpa: 'silent@sandbox',
    expiresInSeconds: 5,
    expected: success,
  },
  {
    ...paid,
    name: 'unheard',
    about: 'is made after the end, and found by a later enquiry',
    expiresInSeconds: 5,
    andThen: async ({ app, intent, becomes }) => {
      await becomes('Failed')
      await app.pay(intent, 'silent@sandbox', { force: true })
    },
    expected: { ...expired, reversal: { reason: 'late', amount: '499.00' } },
  },
  {
    ...paid,
    name: 'twice',
    about: 'is captured twice at once',
    vpa: 'twice@sandbox',
    expected: { ...success, reversal: { reason: 'duplicate', amount: '499.00' } },
  },
  { ...paid, name: 'expiry', about: 'never comes', expiresInSeconds: 5, expected: expired },
  { ...paid, name: 'retries', about: 'meets a server that fails twice', vpa: 'success@sandbox', refusals: 2, expected: success },
]

let stack: RunningStack
let shop: Shop
let runs: Map<string, Promise<Evidence>>

beforeAll(async () => {
  stack = await startStack()
  shop = await openShop(stack.description, 'Scenario Stores')
  const stage = { shop, app: upiApp(stack.description), timeline: () => undefined, run: Date.now().toString(36) }
  // All at once: most of them only wait.
  runs = new Map(SCENARIOS.map((scenario) => [scenario.name, runScenario(scenario, stage)]))
  await Promise.allSettled(runs.values())
}, 300_000)

afterAll(async () => {
  await stack.remove()
  await shop.close()
}, 300_000)

test.each(SCENARIOS)('a payment that $about ($name)', async (scenario) => {
  const seen = await runs.get(scenario.name)
  if (!seen) throw new Error(`${scenario.name} was not run`)
  expect(findProblems(scenario, await lookAgain(seen, shop))).toEqual([])
})

test('no log holds anything private', async () => {
  const logs = stack.logs()
  expect([...logs.keys()]).toEqual(expect.arrayContaining(Object.keys(stack.description.services)))
  const { credentials } = shop.merchant
  const token = await shop.merchant.token()
  expect(findLeaks(logs, [credentials.key_secret, token, shop.signingSecret, 'Asha'])).toEqual([])
})
