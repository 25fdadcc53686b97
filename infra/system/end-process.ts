import { setTimeout as delay } from 'node:timers/promises'
import { isRunning, type ProcessIdentity } from './process-identity.ts'

const GRACE_MS = 15_000
const KILLED_WITHIN_MS = 10_000
const POLL_MS = 50

/** Signals a process group's leader and waits; after `graceMs` the whole group is killed. Does nothing if it has ended already. */
export async function endProcess(identity: ProcessIdentity, stopSignal: NodeJS.Signals, graceMs = GRACE_MS): Promise<void> {
  if (!isRunning(identity)) return
  sendSignal(identity.pid, stopSignal)
  if (!(await isGoneWithin(identity, graceMs))) {
    sendSignal(-identity.pid, 'SIGKILL')
    await isGoneWithin(identity, KILLED_WITHIN_MS)
  }
  // Processes that it started may still be in its group.
  sendSignal(-identity.pid, 'SIGKILL')
}

/** Returns false if the process is still running after `withinMs`. */
export async function isGoneWithin(identity: ProcessIdentity, withinMs: number): Promise<boolean> {
  const deadline = Date.now() + withinMs
  while (isRunning(identity)) {
    if (Date.now() > deadline) return false
    await delay(POLL_MS)
  }
  return true
}

export function sendSignal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // Already gone.
  }
}
