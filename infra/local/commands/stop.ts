import { removeStack } from '../stack-file.ts'
import { endAllLeftovers, readHolder, withStateLock } from '../state-lock.ts'
import { isGoneWithin, sendSignal } from '@gateway-infra/system/processes'
import { type Command, runCommand } from '@gateway-infra/system/command'

/** Longer than the supervisor's own deadline for stopping. */
const STOP_WITHIN_MS = 120_000

/** Stops the running stack, or what a killed one left running, and waits for the end. */
const stop: Command = async ({ paths, progress }) => {
  const holder = readHolder(paths.stateDir)
  if (holder) {
    sendSignal(holder.pid, 'SIGTERM')
    const title = `stopping ${holder.command} (pid ${holder.pid})`
    const gone = await progress.during(title, async () => isGoneWithin(holder, STOP_WITHIN_MS))
    if (!gone) progress.log(`pid ${holder.pid} did not end in time; its processes are still running`)
    return gone ? 0 : 1
  }
  return withStateLock(paths.stateDir, { command: 'stop', baseUrl: '' }, async () => {
    const left = await endAllLeftovers(paths.stateDir)
    removeStack(paths.stateDir)
    progress.log(left.length > 0 ? `ended processes of a killed stack: ${left.join(', ')}` : 'nothing was running')
    return 0
  })
}

await runCommand(stop)
