/** Programs that are built from their Go modules, with Debian's compiler if the machine has no Go. */
import { copyFile, mkdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Progress } from '@gateway-infra/system/progress'
import { run, succeeds } from '@gateway-infra/system/run'
import { buildOnce } from '../build-once.ts'
import { bootstrapDebian, type PackageLogs } from '../debian.ts'
import { exists, removeTree } from '../files.ts'

interface GoProgram {
  /** Name of the binary and of the build log. */
  readonly name: string
  /** A Go module version such as `v2.7.0`. */
  readonly version: string
  /** Path of the command's package. */
  readonly package: string
  /** How long the build takes, for the terminal. */
  readonly takes: string
}

/** Path of the FerretDB binary (MongoDB's protocol on PostgreSQL). */
export async function ensureFerretDb(cacheDir: string, progress: Progress): Promise<string> {
  const path = 'github.com/FerretDB/FerretDB/v2/cmd/ferretdb'
  return ensureGoProgram({ name: 'ferretdb', version: 'v2.7.0', package: path, takes: '1 to 3 minutes' }, cacheDir, progress)
}

/** Path of the Toxiproxy server's binary, which delays, cuts and resets connections in tests. */
export async function ensureToxiproxy(cacheDir: string, progress: Progress): Promise<string> {
  const path = 'github.com/Shopify/toxiproxy/v2/cmd/server'
  const takes = '15 s, and two minutes more if Go must be installed first'
  return ensureGoProgram({ name: 'toxiproxy-server', version: 'v2.12.0', package: path, takes }, cacheDir, progress)
}

/** Path of a program's binary. Builds it from its Go module if necessary, with Debian's compiler if the machine has no Go. */
export async function ensureGoProgram(program: GoProgram, cacheDir: string, progress: Progress): Promise<string> {
  const { name, version, takes, package: path } = program
  const logs = { log: progress.log, logFile: join(cacheDir, `${name}.log`) }
  const title = `building ${name} ${version} (once; ${takes})`
  return buildOnce(join(cacheDir, 'bin', `${name}-${version}`), title, progress, async (binary) => {
    const folder = join(cacheDir, `${name}.building`)
    await removeTree(folder)
    const install = ['install', `${path}@${version}`]
    const bin = (await succeeds('go', ['version']))
      ? await buildHere(install, folder, logs)
      : await buildInDebian(install, folder, logs)
    await copyFile(join(bin, binaryOf(path)), binary)
    await removeTree(folder)
  })
}

async function buildHere(install: readonly string[], folder: string, { logFile }: PackageLogs): Promise<string> {
  await mkdir(folder, { recursive: true })
  await run('go', install, { logFile, env: { GOBIN: folder, CGO_ENABLED: '0' } })
  return folder
}

/** Builds without Go on the machine: with Debian's compiler in a temporary root file system. */
async function buildInDebian(install: readonly string[], folder: string, logs: PackageLogs): Promise<string> {
  logs.log('no Go compiler found: using the one from Debian')
  await bootstrapDebian(folder, ['golang-go', 'ca-certificates'], logs)
  await copyFile('/etc/resolv.conf', join(folder, 'etc/resolv.conf'))
  const certificates = process.env['SSL_CERT_FILE'] ?? '/etc/ssl/certs/ca-certificates.crt'
  if (await exists(certificates)) await copyFile(certificates, join(folder, 'etc/ssl/certs/ca-certificates.crt'))
  // Without /proc, Go cannot find its own path.
  const go = { GOROOT: '/usr/lib/go', GOBIN: '/tmp', GOPATH: '/tmp/go', GOCACHE: '/tmp/go-build', CGO_ENABLED: '0' }
  const env = { ...go, HOME: '/tmp', PATH: '/usr/sbin:/usr/bin:/sbin:/bin' }
  await run('chroot', [folder, '/usr/bin/go', ...install], { logFile: logs.logFile, env })
  return join(folder, 'tmp')
}

/** Go names the binary after the package's folder, and leaves out a folder of the major version such as `v5`. */
function binaryOf(path: string): string {
  return basename(path.replace(/\/v\d+$/u, ''))
}
