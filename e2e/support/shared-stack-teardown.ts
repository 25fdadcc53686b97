/** Jest's `globalTeardown` of the e2e project. */
import './shared-stack-setup.ts'

export default async function removeIt(): Promise<void> {
  await globalThis.sharedE2eStack?.remove()
}
