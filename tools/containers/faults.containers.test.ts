/** The images of all services together, during and after faults of the network between them, the database and the broker. */
import { eventually } from '@gateway/testkit'
import { openMerchantSite, type MerchantSite } from '@gateway-tools/e2e/support/merchant-site'
import { upiApp, type UpiApp } from '@gateway-tools/e2e/support/merchant'
import { FAULTS, type Fault } from './test/faults.ts'
import { startLoad, type Load } from './test/load.ts'
import { expectNothingLost } from './test/nothing-lost.ts'
import { startContainerStack, type ContainerStack } from './test/stack.ts'

let started: ContainerStack | undefined
let app: UpiApp

beforeAll(async () => {
  started = await startContainerStack()
  app = upiApp(started.description)
})

afterAll(async () => {
  await started?.stop()
})

/** The minimum; a fault lasts longer where requests wait for their own time limits. */
const FAULT_MS = 5_000
const SOON = { deadlineMs: 60_000, pauseMs: 100 }

// Proves: deploy/faults-between-images-lose-nothing
test.each(FAULTS)('nothing acknowledged is lost, and all of it completes: $name', async (fault) => {
  if (!started) throw new Error('there is no stack')
  const stack = started
  // A new merchant for each fault, since a token expires after ten minutes.
  const site: MerchantSite = await openMerchantSite(stack.description, fault.name)
  const load = startLoad(site, app)
  try {
    await underLoad(fault, stack, load)
  } catch (error) {
    // Reports why the fault test failed, not the errors that this caused in the load.
    await load.stop().catch(() => undefined)
    throw error
  }
  await load.stop()
  await expectNothingLost(site, load)
  await site.close()
})

/** Before, during and after the fault. */
async function underLoad(fault: Fault, stack: ContainerStack, load: Load): Promise<void> {
  await atLeast(() => load.acknowledged.size, 5)
  await fault.begin(stack)
  const [beganAt, answeredBefore] = [performance.now(), load.answered]
  try {
    await eventually(() => {
      expect(load.answered - answeredBefore).toBeGreaterThanOrEqual(5)
      expect(performance.now() - beganAt).toBeGreaterThan(FAULT_MS)
    }, SOON)
  } finally {
    await fault.end(stack)
  }
  const acknowledgedBefore = load.acknowledged.size
  await atLeast(() => load.acknowledged.size, acknowledgedBefore + 5)
}

async function atLeast(count: () => number, wanted: number): Promise<void> {
  await eventually(() => expect(count()).toBeGreaterThanOrEqual(wanted), SOON)
}
