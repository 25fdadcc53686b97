import { mkdir, rename } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { withLock } from '@gateway-infra/system/lock'
import type { Progress } from '@gateway-infra/system/progress'
import { withOneRetry } from '@gateway-infra/system/run'
import { exists, firstLine, removeTree } from './files.ts'

/**
 * Makes a file or folder that all stacks share, unless it exists, and resolves to its path. `build` makes it under another path
 * with the same ending; it is moved into place when it is complete. Several processes wait for the first one.
 */
export async function buildOnce(
  path: string,
  title: string,
  progress: Progress,
  build: (part: string) => Promise<unknown>,
): Promise<string> {
  if (await exists(path)) return path
  await mkdir(dirname(path), { recursive: true })
  const part = join(dirname(path), `building-${basename(path)}`)
  const make = async (): Promise<void> => {
    await removeTree(part)
    await build(part)
  }
  return withLock(
    path,
    async () => {
      if (await exists(path)) return path
      await progress.during(title, async () =>
        withOneRetry(make, (error) => progress.log(`${title} failed, retrying: ${firstLine(error)}`)),
      )
      await rename(part, path)
      return path
    },
    () => progress.log(`another process is ${title}; waiting for it`),
  )
}
