import { endAllLeftovers } from '../leftovers.ts'
import { removeStack } from '../stack-file.ts'
import { readHolder, withStateLock } from '../state-lock.ts'
import { isGoneWithin, sendSignal } from '@gateway-infra/system/end-process'
import type { Command } from '@gateway-infra/system/context'
import { runCommand } from '@gateway-infra/system/run-command'

/** Longer than everything a supervisor waits for when it stops. */
const STOP_WITHIN_MS = 120_000

/** Ends the running stack, or what a killed one left behind, and waits until it is gone. */
const stop: Command = async ({ paths, progress }) => {
  const holder = readHolder(paths.stateDir)
  if (holder) {
    sendSignal(holder.pid, 'SIGTERM')
    const title = `stopping ${holder.command} (pid ${holder.pid})`
    const gone = await progress.during(title, async () => isGoneWithin(holder, STOP_WITHIN_MS))
    if (!gone) progress.log(`pid ${holder.pid} does not end; its processes are left to it`)
    return gone ? 0 : 1
  }
  return withStateLock(paths.stateDir, { command: 'stop', baseUrl: '' }, async () => {
    const left = await endAllLeftovers(paths.stateDir)
    removeStack(paths.stateDir)
    progress.log(left.length > 0 ? `ended what a killed stack had left behind: ${left.join(', ')}` : 'nothing was running')
    return 0
  })
}

await runCommand(stop)
