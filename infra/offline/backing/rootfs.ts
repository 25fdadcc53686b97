/** PostgreSQL 18 with DocumentDB and RabbitMQ 4 in a root file system of their own: Debian has them in sid only. */
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

/** Why native processes cannot run here, or `undefined` when they can. */
export async function nativeIsImpossible(): Promise<string | undefined> {
  if (process.platform !== 'linux') return `this is ${process.platform}, not Linux`
  if (!(await exists('/etc/debian_version')) || !(await succeeds('apt-get', ['--version'])))
    return 'this is not Debian (no apt-get)'
  if (process.getuid?.() !== 0) return 'this needs root (to build and enter a root file system)'
  return undefined
}

/** The ready root file system; built first when there is none (2 to 4 minutes, about 630 MB). */
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
          (error) => progress.log(`building it failed, trying once more: ${firstLine(error)}`),
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
 * Debian sid with some packages in `target`, a folder or a tar file; the machine's own Debian stays as it is but for
 * `mmdebstrap`. The variant `extract` has the files of these packages alone.
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

/** Installs packages on this machine unless what they bring is there. */
export async function ensureDebianPackages(
  names: readonly string[],
  isThere: () => Promise<boolean>,
  logFile: string,
  progress: Progress,
): Promise<void> {
  // Two builds may want it at once, and apt allows one writer only.
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
  // The broker's node is called <name>@localhost, and a minimal system resolves nothing.
  await writeFile(join(rootfs, 'etc/hosts'), '127.0.0.1 localhost\n')
  // It leads into /proc, which is not there; the broker cannot read what `df` then says about free space.
  await rm(join(rootfs, 'etc/mtab'), { force: true })
  await writeFile(join(rootfs, 'etc/mtab'), 'rootfs / rootfs rw 0 0\n')
  // Packages bring these, empty; every instance brings its own.
  await rm(join(rootfs, 'var/lib/rabbitmq/.erlang.cookie'), { force: true })
  await mkdir(join(rootfs, 'data'), { recursive: true })
}

/** Numeric ids of a user inside the root file system, for `chroot --userspec`. */
export async function userInside(rootfs: string, name: string): Promise<{ uid: number; gid: number }> {
  const line = (await readFile(join(rootfs, 'etc/passwd'), 'utf8')).split('\n').find((entry) => entry.startsWith(`${name}:`))
  const [, , uid, gid] = line?.split(':') ?? []
  if (uid === undefined || gid === undefined) throw new Error(`${rootfs} has no user ${name}: remove it and start again`)
  return { uid: Number(uid), gid: Number(gid) }
}

async function removeUnfinished(folder: string, prefix: string): Promise<void> {
  for (const name of await readdir(folder)) if (name.startsWith(prefix)) await removeTree(join(folder, name))
}

/** Removes a tree that a killed build may have left mounts in: never follows one into the machine's own /dev or /proc. */
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

/** For a line of progress; the whole error is shown when the second try fails too. */
export function firstLine(error: unknown): string {
  return String(error).split('\n')[0] ?? ''
}
