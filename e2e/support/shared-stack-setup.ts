/** Jest's `globalSetup` of the e2e project: one stack for all test files that neither change nor stop it. */
import { SHARED_DIR, startStack, type RunningStack } from './running-stack.ts'

declare global {
  /** Jest keeps this from its setup to its teardown. */
  var sharedE2eStack: RunningStack | undefined
}

export default async function startIt(): Promise<void> {
  const stack = (globalThis.sharedE2eStack = await startStack())
  process.env[SHARED_DIR] = stack.stateDir
}
