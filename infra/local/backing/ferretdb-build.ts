/** The FerretDB binary, built from its Go module: it speaks MongoDB's protocol in front of PostgreSQL. */
import { copyFile, mkdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { withLock } from '../system/lock.ts'
import type { Progress } from '../progress.ts'
import { run, succeeds, withOneRetry } from '../system/run.ts'
import { bootstrapDebian, exists, firstLine, removeTree } from './rootfs.ts'

const VERSION = 'v2.7.0'
const MODULE = `github.com/FerretDB/FerretDB/v2/cmd/ferretdb@${VERSION}`

/** Path of the binary; built first when there is none (1 to 3 minutes). */
export async function ensureFerretDb(cacheDir: string, progress: Progress): Promise<string> {
  const binary = join(cacheDir, 'bin', `ferretdb-${VERSION}`)
  if (await exists(binary)) return binary

  await mkdir(join(cacheDir, 'bin'), { recursive: true })
  return withLock(
    binary,
    async () => {
      if (await exists(binary)) return binary
      await progress.during(`building FerretDB ${VERSION} (once; 1 to 3 minutes)`, async () => {
        const folder = join(cacheDir, 'ferretdb.building')
        const build = (await succeeds('go', ['version'])) ? buildHere : buildInDebian
        const built = await withOneRetry(
          async () => {
            await removeTree(folder)
            return build(folder, join(cacheDir, 'ferretdb.log'), progress)
          },
          (error) => progress.log(`building FerretDB failed, trying once more: ${firstLine(error)}`),
        )
        await copyFile(built, `${binary}.part`)
        await rename(`${binary}.part`, binary)
        await removeTree(folder)
      })
      return binary
    },
    () => progress.log('another process is building FerretDB; waiting for it'),
  )
}

async function buildHere(folder: string, logFile: string): Promise<string> {
  await mkdir(folder, { recursive: true })
  await run('go', ['install', MODULE], { logFile, env: { GOBIN: folder, CGO_ENABLED: '0' } })
  return join(folder, 'ferretdb')
}

/** Without Go on the machine: Debian's compiler in a root file system that is thrown away afterwards. */
async function buildInDebian(folder: string, logFile: string, progress: Progress): Promise<string> {
  progress.log('no Go compiler here: taking one from Debian')
  await bootstrapDebian(folder, ['golang-go', 'ca-certificates'], logFile, progress)
  await copyFile('/etc/resolv.conf', join(folder, 'etc/resolv.conf'))
  const certificates = process.env['SSL_CERT_FILE'] ?? '/etc/ssl/certs/ca-certificates.crt'
  if (await exists(certificates)) await copyFile(certificates, join(folder, 'etc/ssl/certs/ca-certificates.crt'))
  // It cannot find itself without /proc.
  const env = {
    GOROOT: '/usr/lib/go',
    GOBIN: '/tmp',
    GOPATH: '/tmp/go',
    GOCACHE: '/tmp/go-build',
    HOME: '/tmp',
    CGO_ENABLED: '0',
  }
  await run('chroot', [folder, '/usr/bin/go', 'install', MODULE], {
    logFile,
    env: { ...env, PATH: '/usr/sbin:/usr/bin:/sbin:/bin' },
  })
  return join(folder, 'tmp/ferretdb')
}
