/** Every course that a UPI payment can take, through the gateway: final search, reversals, exact webhooks (design, section 4). */
import { ensureSecrets } from '@gateway-infra/local/secrets'
import { findProblems, type Evidence } from './demo/check.ts'
import { refreshEvidence, runScenario } from './demo/run-scenario.ts'
import { SCENARIOS as DEMO, type Scenario } from './demo/scenarios.ts'
import { findLeaks } from './support/leaks.ts'
import { sharedStack, type SharedStack } from './support/running-stack.ts'
import { openMerchantSite, type MerchantSite } from './support/merchant-site.ts'
import { upiApp } from './support/merchant.ts'

const paid = { amount: '499.00', refusals: 0 }
const success = { statuses: ['Initiate', 'Success'], failureReason: null, reversal: null } as const
const expired = { statuses: ['Initiate', 'Failed'], failureReason: 'expired', reversal: null } as const

const SCENARIOS: readonly Scenario[] = [
  { ...paid, name: 'success', about: 'succeeds', vpa: 'success@sandbox', expected: success },
  { ...paid, name: 'other', about: 'comes from any other VPA', vpa: 'asha.rao-1@okbank', expected: success },
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
    about: 'is pending at first',
    vpa: 'slow@sandbox',
    expected: { ...success, statuses: ['Initiate', 'Pending', 'Success'] },
  },
  {
    ...paid,
    name: 'resolved',
    about: 'is pending until it is resolved',
    vpa: 'pending@sandbox',
    afterwards: async ({ app, transactionId, waitForStatus }) => {
      await waitForStatus('Pending')
      await app.resolve(transactionId, 'success')
    },
    expected: { ...success, statuses: ['Initiate', 'Pending', 'Success'] },
  },
  {
    ...paid,
    name: 'refused',
    about: 'is pending until it is declined',
    vpa: 'pending@sandbox',
    afterwards: async ({ app, transactionId, waitForStatus }) => {
      await waitForStatus('Pending')
      await app.resolve(transactionId, 'failure')
    },
    expected: { statuses: ['Initiate', 'Pending', 'Failed'], failureReason: 'declined', reversal: null },
  },
  { ...paid, name: 'duplicate', about: 'is reported five times', vpa: 'duplicate@sandbox', expected: success },
  { ...paid, name: 'reordered', about: 'is reported as pending after its success', vpa: 'reordered@sandbox', expected: success },
  {
    ...paid,
    name: 'mismatch',
    about: 'has another amount',
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
    about: 'is never reported and found by an enquiry',
    vpa: 'silent@sandbox',
    expiresInSeconds: 5,
    expected: success,
  },
  {
    ...paid,
    name: 'unheard',
    about: 'is made after the order expired and found by a later enquiry',
    expiresInSeconds: 5,
    afterwards: async ({ app, intent, waitForStatus }) => {
      await waitForStatus('Failed')
      await app.pay(intent, 'silent@sandbox', { force: true })
    },
    expected: { ...expired, reversal: { reason: 'late', amount: '499.00' } },
  },
  {
    ...paid,
    name: 'twice',
    about: 'is captured twice at the same time',
    vpa: 'twice@sandbox',
    expected: { ...success, reversal: { reason: 'duplicate', amount: '499.00' } },
  },
  { ...paid, name: 'expiry', about: 'is never made', expiresInSeconds: 5, expected: expired },
  {
    ...paid,
    name: 'retries',
    about: 'succeeds while the merchant’s server fails twice',
    vpa: 'success@sandbox',
    refusals: 2,
    expected: success,
  },
  // Paid, refunded in two parts, one refused by the bank and one by the gateway, with the signed webhooks of each.
  ...DEMO.filter(({ refunds }) => refunds !== undefined),
]

let stack: SharedStack
let site: MerchantSite
let runs: Map<string, Promise<Evidence>>

beforeAll(async () => {
  stack = sharedStack()
  site = await openMerchantSite(stack.description, 'Scenario Stores')
  const app = upiApp(stack.description, ensureSecrets(stack.stateDir).networkApiKey)
  const context = { site, app, timeline: () => undefined, run: Date.now().toString(36) }
  // All at the same time: most of them only wait.
  runs = new Map(SCENARIOS.map((scenario) => [scenario.name, runScenario(scenario, context)]))
  await Promise.allSettled(runs.values())
}, 300_000)

afterAll(async () => {
  await site.close()
}, 300_000)

// Proves: spec/sandbox-shows-every-outcome, spec/every-status-change-sends-webhook
// Proves: refunds/through-the-gateway
// Proves: state/wrong-amount-attempt-ends-amount-mismatch-counts, state/late-money-never-changes-final-status
test.each(SCENARIOS)('a payment that $about ($name)', async (scenario) => {
  const seen = await runs.get(scenario.name)
  if (!seen) throw new Error(`${scenario.name} was not run`)
  expect(findProblems(scenario, await refreshEvidence(seen, site))).toEqual([])
})

test('no log contains private data', async () => {
  const logs = stack.logs()
  expect([...logs.keys()]).toEqual(expect.arrayContaining(Object.keys(stack.description.services)))
  const { credentials } = site.merchant
  const token = await site.merchant.gateway.token()
  expect(findLeaks(logs, [credentials.key_secret, token, site.signingSecret, 'Asha'])).toEqual([])
})
