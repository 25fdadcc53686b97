import { constants } from 'node:fs'
import { access, readFile } from 'node:fs/promises'
import { run } from '@gateway-infra/system/run'

/** True when the path exists and, with `X_OK`, can be run. */
export async function exists(path: string, mode = constants.F_OK): Promise<boolean> {
  return access(path, mode).then(
    () => true,
    () => false,
  )
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
