import { copyFile, mkdir, rename } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { withLock } from '@gateway-infra/system/lock'
import type { Progress } from '@gateway-infra/system/progress'
import { run, succeeds, withOneRetry } from '@gateway-infra/system/run'
import { bootstrapDebian, exists, firstLine, removeTree } from './rootfs.ts'

export interface GoProgram {
  readonly title: string
  /** Name of the binary and of the build log. */
  readonly name: string
  /** A Go module version such as `v2.7.0`. */
  readonly version: string
  /** Path of the command's package. */
  readonly package: string
  /** How long the build takes, for the terminal. */
  readonly takes: string
}

/** Path of a program's binary. Builds it from its Go module if necessary, with Debian's compiler if the machine has no Go. */
export async function ensureGoProgram(program: GoProgram, cacheDir: string, progress: Progress): Promise<string> {
  const { title, name, version, takes } = program
  const binary = join(cacheDir, 'bin', `${name}-${version}`)
  if (await exists(binary)) return binary

  await mkdir(join(cacheDir, 'bin'), { recursive: true })
  return withLock(
    binary,
    async () => {
      if (await exists(binary)) return binary
      await progress.during(`building ${title} ${version} (once; ${takes})`, async () => {
        const folder = join(cacheDir, `${name}.building`)
        const build = (await succeeds('go', ['version'])) ? buildHere : buildInDebian
        const built = await withOneRetry(
          async () => {
            await removeTree(folder)
            return build(program, { folder, logFile: join(cacheDir, `${name}.log`), progress })
          },
          (error) => progress.log(`building ${title} failed, retrying: ${firstLine(error)}`),
        )
        await copyFile(built, `${binary}.part`)
        await rename(`${binary}.part`, binary)
        await removeTree(folder)
      })
      return binary
    },
    () => progress.log(`another process is building ${title}; waiting for it`),
  )
}

interface Build {
  readonly folder: string
  readonly logFile: string
  readonly progress: Progress
}

async function buildHere(program: GoProgram, { folder, logFile }: Build): Promise<string> {
  await mkdir(folder, { recursive: true })
  await run('go', ['install', moduleOf(program)], { logFile, env: { GOBIN: folder, CGO_ENABLED: '0' } })
  return join(folder, binaryOf(program))
}

/** Builds without Go on the machine: with Debian's compiler in a temporary root file system. */
async function buildInDebian(program: GoProgram, { folder, logFile, progress }: Build): Promise<string> {
  progress.log('no Go compiler found: using the one from Debian')
  await bootstrapDebian(folder, ['golang-go', 'ca-certificates'], logFile, progress)
  await copyFile('/etc/resolv.conf', join(folder, 'etc/resolv.conf'))
  const certificates = process.env['SSL_CERT_FILE'] ?? '/etc/ssl/certs/ca-certificates.crt'
  if (await exists(certificates)) await copyFile(certificates, join(folder, 'etc/ssl/certs/ca-certificates.crt'))
  // Without /proc, Go cannot find its own path.
  const env = {
    GOROOT: '/usr/lib/go',
    GOBIN: '/tmp',
    GOPATH: '/tmp/go',
    GOCACHE: '/tmp/go-build',
    HOME: '/tmp',
    CGO_ENABLED: '0',
  }
  await run('chroot', [folder, '/usr/bin/go', 'install', moduleOf(program)], {
    logFile,
    env: { ...env, PATH: '/usr/sbin:/usr/bin:/sbin:/bin' },
  })
  return join(folder, 'tmp', binaryOf(program))
}

/** Go names the binary after the package's folder, and leaves out a folder of the major version such as `v5`. */
function binaryOf({ package: path }: GoProgram): string {
  return basename(path.replace(/\/v\d+$/u, ''))
}

function moduleOf({ package: path, version }: GoProgram): string {
  return `${path}@${version}`
}
