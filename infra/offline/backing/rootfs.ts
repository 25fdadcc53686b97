/** A root file system with PostgreSQL 18, DocumentDB and RabbitMQ 4, which Debian has only in sid. */
import { constants } from 'node:fs'
import { access, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { withLock } from '@gateway-infra/system/lock'
import type { Progress } from '@gateway-infra/system/progress'
import { run, succeeds, withOneRetry } from '@gateway-infra/system/run'

const PACKAGES = ['postgresql-18-documentdb', 'rabbitmq-server']
const SMALLER = [
  '--dpkgopt=path-exclude=/usr/share/doc/*',
  '--dpkgopt=path-exclude=/usr/share/locale/*',
  '--dpkgopt=path-exclude=/usr/share/man/*',
  '--dpkgopt=path-exclude=/usr/lib/postgresql/18/lib/bitcode/*',
]

/** The reason why native processes cannot run here; `undefined` when they can. */
export async function nativeIsImpossible(): Promise<string | undefined> {
  if (process.platform !== 'linux') return `this is ${process.platform}, not Linux`
  if (!(await exists('/etc/debian_version')) || !(await succeeds('apt-get', ['--version'])))
    return 'this is not Debian (no apt-get)'
  if (process.getuid?.() !== 0) return 'this needs root (to build and enter a root file system)'
  return undefined
}

/** Path of the root file system; builds it if necessary (2 to 4 minutes, about 630 MB). */
export async function ensureRootfs(cacheDir: string, progress: Progress): Promise<string> {
  const rootfs = join(cacheDir, 'rootfs')
  if (await exists(rootfs)) return rootfs

  await mkdir(cacheDir, { recursive: true })
  return withLock(
    rootfs,
    async () => {
      if (await exists(rootfs)) return rootfs
      await removeUnfinished(cacheDir, 'rootfs.building-')
      const building = join(cacheDir, `rootfs.building-${process.pid}`)
      await progress.during('building a root file system with PostgreSQL and RabbitMQ (once; 2 to 4 minutes)', () =>
        withOneRetry(
          async () => {
            await removeTree(building)
            await bootstrapDebian(building, PACKAGES, join(cacheDir, 'rootfs.log'), progress)
          },
          (error) => progress.log(`the build failed, retrying: ${firstLine(error)}`),
        ),
      )
      await prepareForServices(building)
      await rename(building, rootfs)
      return rootfs
    },
    () => progress.log('another process is building the root file system; waiting for it'),
  )
}

/**
 * Installs Debian sid with some packages into `target`, a folder or a tar file. On the machine itself only `mmdebstrap` is
 * installed. The variant `extract` contains only the files of these packages.
 */
export async function bootstrapDebian(
  target: string,
  packages: readonly string[],
  logFile: string,
  progress: Progress,
  variant: 'essential' | 'extract' = 'essential',
): Promise<void> {
  await ensureMmdebstrap(logFile, progress)
  const options = [`--variant=${variant}`, '--aptopt=Acquire::Check-Valid-Until "false"', '--aptopt=Acquire::Retries "2"']
  const args = [
    ...options,
    '--aptopt=APT::Install-Recommends "false"',
    ...SMALLER,
    `--include=${packages.join(',')}`,
    'sid',
    target,
  ]
  await run('mmdebstrap', args, { logFile })
}

async function ensureMmdebstrap(logFile: string, progress: Progress): Promise<void> {
  const isThere = async (): Promise<boolean> => succeeds('mmdebstrap', ['--version'])
  await ensureDebianPackages(['mmdebstrap', 'debian-archive-keyring'], isThere, logFile, progress)
}

/** Installs packages on this machine unless their files exist. */
export async function ensureDebianPackages(
  names: readonly string[],
  isThere: () => Promise<boolean>,
  logFile: string,
  progress: Progress,
): Promise<void> {
  // Two builds may need it at once, and apt allows only one writer.
  await withLock('apt-get', async () => {
    if (await isThere()) return
    progress.log(`installing ${names.join(', ')} from Debian`)
    const env = { DEBIAN_FRONTEND: 'noninteractive' }
    const patient = ['-o', 'DPkg::Lock::Timeout=300', '-o', 'Acquire::Retries=2']
    await run('apt-get', [...patient, 'update'], { logFile, env })
    await run('apt-get', [...patient, 'install', '-y', '--no-install-recommends', ...names], { logFile, env })
  })
}

async function prepareForServices(rootfs: string): Promise<void> {
  // The broker's node is <name>@localhost, and a minimal system resolves no names.
  await writeFile(join(rootfs, 'etc/hosts'), '127.0.0.1 localhost\n')
  // By default a link into /proc, which is missing here; `df` would print errors that the broker cannot parse.
  await rm(join(rootfs, 'etc/mtab'), { force: true })
  await writeFile(join(rootfs, 'etc/mtab'), 'rootfs / rootfs rw 0 0\n')
  // Created empty by the packages; every instance has its own.
  await rm(join(rootfs, 'var/lib/rabbitmq/.erlang.cookie'), { force: true })
  await mkdir(join(rootfs, 'data'), { recursive: true })
}

/** Numeric ids of a user inside the root file system, for `chroot --userspec`. */
export async function userInside(rootfs: string, name: string): Promise<{ uid: number; gid: number }> {
  const line = (await readFile(join(rootfs, 'etc/passwd'), 'utf8')).split('\n').find((entry) => entry.startsWith(`${name}:`))
  const [, , uid, gid] = line?.split(':') ?? []
  if (uid === undefined || gid === undefined) throw new Error(`${rootfs} has no user ${name}: remove the folder and start again`)
  return { uid: Number(uid), gid: Number(gid) }
}

async function removeUnfinished(folder: string, prefix: string): Promise<void> {
  for (const name of await readdir(folder)) if (name.startsWith(prefix)) await removeTree(join(folder, name))
}

/** Removes a tree in which a killed build may have left mounts; never follows a mount into the machine's /dev or /proc. */
export async function removeTree(path: string): Promise<void> {
  const mounts = (await readFile('/proc/self/mounts', 'utf8')).split('\n').map((line) => line.split(' ')[1] ?? '')
  for (const mount of mounts.filter((point) => point.startsWith(`${path}/`)).reverse())
    await run('umount', ['--lazy', mount], { evenWhenStopping: true })
  await run('rm', ['-rf', '--one-file-system', path], { evenWhenStopping: true })
}

export async function exists(path: string): Promise<boolean> {
  return access(path, constants.F_OK).then(
    () => true,
    () => false,
  )
}

/** For a progress line; the whole error is shown if the retry fails too. */
export function firstLine(error: unknown): string {
  return String(error).split('\n')[0] ?? ''
}
