import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { discardNativeData } from '@gateway-infra/offline/backing/rootfs'
import { endAllLeftovers } from './state-lock.ts'
import type { Paths } from '@gateway-infra/system/paths'
import { tryLock } from '@gateway-infra/system/lock'

const PREFIX = 'test-'

/**
 * Runs `work` with its own state directory, which is removed afterwards, as are directories that killed runs left behind.
 * `name` distinguishes several directories of one program.
 */
export async function withTemporaryState<T>(
  { stateDir, cacheDir }: Paths,
  work: (temporaryDir: string) => Promise<T>,
  name = '',
): Promise<T> {
  await mkdir(stateDir, { recursive: true })
  for (const found of await readdir(stateDir))
    if (found.startsWith(PREFIX)) await removeAbandoned(join(stateDir, found), cacheDir)

  const temporaryDir = join(stateDir, `${PREFIX}${process.pid}${name}`)
  const lock = await tryLock(temporaryDir)
  await mkdir(temporaryDir, { recursive: true })
  try {
    return await work(temporaryDir)
  } finally {
    lock?.release()
    await removeAbandoned(temporaryDir, cacheDir)
  }
}

/** Removes a directory unless the process that made it is alive. */
async function removeAbandoned(temporaryDir: string, cacheDir: string): Promise<void> {
  const lock = await tryLock(temporaryDir)
  if (!lock) return
  try {
    await endAllLeftovers(temporaryDir)
    await discardNativeData(temporaryDir, cacheDir)
    await rm(temporaryDir, { recursive: true, force: true })
  } finally {
    lock.release()
  }
}
