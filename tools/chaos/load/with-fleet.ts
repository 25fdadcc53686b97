import { unlessStopped } from '@gateway-tools/load/unless-stopped'
import { startFleet, type Fleet, type FleetOptions } from '../fleet/fleet.ts'

/**
 * Runs `work` on a fleet of its own. `work` resolves to whether all went well, which becomes the exit code; if not, the logs are
 * kept.
 */
export async function withFleet(options: FleetOptions, work: (fleet: Fleet) => Promise<boolean>): Promise<0 | 1> {
  const fleet = await startFleet(options)
  let isFlawless = false
  try {
    isFlawless = await unlessStopped(() => work(fleet))
    return isFlawless ? 0 : 1
  } finally {
    if (!isFlawless) console.log(`logs: ${fleet.logDir}`)
    await fleet.stop({ keepLogs: !isFlawless })
  }
}
