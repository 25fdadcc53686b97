/** Toxiproxy from its Go module: it slows down, cuts and resets connections, for tests of what that does to others. */
import { mkdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { exists, removeTree } from '../local/backing/rootfs.ts'
import type { Progress } from '../local/progress.ts'
import { withLock } from '../local/system/lock.ts'
import { run, succeeds, withOneRetry } from '../local/system/run.ts'
import { UserError } from '../local/user-error.ts'

const VERSION = 'v2.12.0'
const MODULE = `github.com/Shopify/toxiproxy/v2/cmd/server@${VERSION}`

/** Path of the binary; built first when there is none (10 s). */
export async function ensureToxiproxy(cacheDir: string, progress: Progress): Promise<string> {
  const binary = join(cacheDir, 'bin', `toxiproxy-server-${VERSION}`)
  return withLock(binary, async () => {
    if (await exists(binary)) return binary
    if (!(await succeeds('go', ['version']))) throw new UserError('Toxiproxy cannot be pulled, and there is no Go to build it')
    const folder = join(cacheDir, 'toxiproxy.building')
    await mkdir(folder, { recursive: true })
    await mkdir(join(cacheDir, 'bin'), { recursive: true })
    const env = { GOBIN: folder, CGO_ENABLED: '0' }
    await withOneRetry(
      async () => run('go', ['install', MODULE], { logFile: join(cacheDir, 'toxiproxy.log'), env }),
      () => progress.log('building Toxiproxy failed, trying once more'),
    )
    await rename(join(folder, 'server'), binary)
    await removeTree(folder)
    return binary
  })
}
