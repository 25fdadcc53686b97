/** A root file system with PostgreSQL 18, DocumentDB and RabbitMQ 4, which Debian has only in sid. */
import { existsSync } from 'node:fs'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { instanceId } from '@gateway-infra/system/paths'
import type { ProcessBook } from '@gateway-infra/system/process-book'
import type { Log, Progress } from '@gateway-infra/system/progress'
import { succeeds } from '@gateway-infra/system/run'
import { buildOnce } from '../build-once.ts'
import { bootstrapDebian } from '../debian.ts'

/** What every engine in the root file system is started with. */
export interface Native {
  readonly rootfs: string
  /** Inside the root file system, such as `/data/ab12`. */
  readonly dataDir: string
  readonly logDir: string
  readonly book: ProcessBook
  readonly log: Log
}

/** The reason why native processes cannot run here; `undefined` when they can. */
export async function nativeIsImpossible(): Promise<string | undefined> {
  if (process.platform !== 'linux') return `this is ${process.platform}, not Linux`
  if (!existsSync('/etc/debian_version') || !(await succeeds('apt-get', ['--version']))) return 'this is not Debian (no apt-get)'
  if (process.getuid?.() !== 0) return 'this needs root (to build and enter a root file system)'
  return undefined
}

/** Path of the root file system; builds it if necessary (2 to 4 minutes, about 630 MB). */
export async function ensureRootfs(cacheDir: string, progress: Progress): Promise<string> {
  const title = 'building a root file system with PostgreSQL and RabbitMQ (once; 2 to 4 minutes)'
  const logs = { log: progress.log, logFile: join(cacheDir, 'rootfs.log') }
  return buildOnce(join(cacheDir, 'rootfs'), title, progress, async (rootfs) => {
    await bootstrapDebian(rootfs, ['postgresql-18-documentdb', 'rabbitmq-server'], logs)
    // The broker's node is <name>@localhost, and a minimal system resolves no names.
    await writeFile(join(rootfs, 'etc/hosts'), '127.0.0.1 localhost\n')
    // By default a link into /proc, which is missing here; `df` would print errors that the broker cannot parse.
    await rm(join(rootfs, 'etc/mtab'), { force: true })
    await writeFile(join(rootfs, 'etc/mtab'), 'rootfs / rootfs rw 0 0\n')
    // Created empty by the packages; every instance has its own.
    await rm(join(rootfs, 'var/lib/rabbitmq/.erlang.cookie'), { force: true })
    await mkdir(join(rootfs, 'data'), { recursive: true })
  })
}

/** An instance's data directory, as a path inside the root file system; it survives restarts. */
export function nativeDataDir(stateDir: string): string {
  return `/data/${instanceId(stateDir)}`
}

/** Removes the data of an instance that is not running. */
export async function discardNativeData(stateDir: string, cacheDir: string): Promise<void> {
  await rm(join(cacheDir, 'rootfs', nativeDataDir(stateDir)), { recursive: true, force: true })
}

/** A user of the root file system by numeric ids, and the arguments of `chroot` to enter it as that user. */
export async function userInside(rootfs: string, name: string) {
  const line = (await readFile(join(rootfs, 'etc/passwd'), 'utf8')).split('\n').find((entry) => entry.startsWith(`${name}:`))
  const [, , uid, gid] = line?.split(':') ?? []
  if (uid === undefined || gid === undefined) throw new Error(`${rootfs} has no user ${name}: remove the folder and start again`)
  return { uid: Number(uid), gid: Number(gid), chroot: [`--userspec=${uid}:${gid}`, '--groups=', rootfs] } as const
}
