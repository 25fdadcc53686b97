/** Files and folders in the cache that are expensive to build, and how such a folder is removed. */
import { existsSync } from 'node:fs'
import { mkdir, readFile, rename } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { withLock } from '@gateway-infra/system/lock'
import type { Progress } from '@gateway-infra/system/progress'
import { run, withOneRetry } from '@gateway-infra/system/run'

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
  if (existsSync(path)) return path
  await mkdir(dirname(path), { recursive: true })
  const part = join(dirname(path), `building-${basename(path)}`)
  const make = async (): Promise<void> => {
    await removeTree(part)
    await build(part)
  }
  const onRetry = (error: unknown): void => progress.log(`${title} failed, retrying: ${firstLine(error)}`)
  const buildUnlessBuilt = async (): Promise<string> => {
    if (existsSync(path)) return path
    await progress.during(title, async () => withOneRetry(make, onRetry))
    await rename(part, path)
    return path
  }
  return withLock(path, buildUnlessBuilt, () => progress.log(`another process is ${title}; waiting for it`))
}

/** Removes a tree in which a killed build may have left mounts; never follows a mount into the machine's /dev or /proc. */
export async function removeTree(path: string): Promise<void> {
  const mounts = (await readFile('/proc/self/mounts', 'utf8')).split('\n').map((line) => line.split(' ')[1] ?? '')
  for (const mount of mounts.filter((point) => point.startsWith(`${path}/`)).reverse())
    await run('umount', ['--lazy', mount], { evenWhenStopping: true })
  await run('rm', ['-rf', '--one-file-system', path], { evenWhenStopping: true })
}

/** For a progress line; the whole error is shown if the retry fails too. */
export function firstLine(error: unknown): string {
  return String(error).split('\n')[0] ?? ''
}
