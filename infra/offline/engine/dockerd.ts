/** Debian's dockerd with its own socket and folder, both removed afterwards. Needs root. */
import { mkdir, readFile, symlink } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { keepRunning, type KeptProcess } from '@gateway-infra/system/keep-running'
import { openProcessBook, type ProcessBook } from '@gateway-infra/system/process-book'
import type { Progress } from '@gateway-infra/system/progress'
import { succeeds } from '@gateway-infra/system/run'
import { UserError } from '@gateway-infra/system/user-error'
import { firstLine, removeTree } from '../files.ts'
import { rememberNetwork } from './network.ts'

export interface Engine {
  /** For `DOCKER_HOST`. */
  readonly host: string
  stop(): Promise<void>
}

interface Attempt {
  readonly what: string
  readonly args: readonly string[]
  /** Legacy iptables, for kernels without nf_tables. */
  readonly legacyIptables?: boolean
}

/** Best first. Without packet rules, containers of one network still reach each other, and a proxy publishes ports. */
const ATTEMPTS: readonly Attempt[] = [
  { what: 'overlay2', args: ['--storage-driver=overlay2'] },
  { what: 'overlay2, legacy iptables', args: ['--storage-driver=overlay2'], legacyIptables: true },
  { what: 'overlay2, no iptables', args: ['--storage-driver=overlay2', '--iptables=false'] },
  { what: 'vfs', args: ['--storage-driver=vfs'] },
  { what: 'vfs, no iptables', args: ['--storage-driver=vfs', '--iptables=false'] },
]
const READY_WITHIN_MS = 60_000
const REMOVE_AGAIN_AFTER_MS = 200

/**
 * Arguments of `setpriv`: the engine and its containers run in namespaces of their own for processes and mounts. So the kernel
 * ends all of them, and removes their mounts, when the engine ends; and it ends the engine when this process dies, even of SIGKILL.
 */
export const CONTAINED = ['--pdeathsig=KILL', 'unshare', '--mount', '--pid', '--fork', '--kill-child', '--mount-proc']

/** Tries these ways in order; throws a `UserError` with the end of the log when none works. The caller holds the machine's lock. */
export async function startEngine(cacheDir: string, progress: Progress): Promise<Engine> {
  // The name is short since the folder contains sockets, whose path the kernel limits to 107 characters.
  const folder = join(cacheDir, 'gw-engine')
  const records = join(cacheDir, 'engine-processes')
  const place: Place = { folder, progress, logFile: join(cacheDir, 'dockerd.log'), book: openProcessBook(records, 'engine') }
  await place.book.endLeftovers()
  const forgetNetwork = await rememberNetwork(records)
  let failure = ''
  for (const attempt of ATTEMPTS) {
    try {
      const dockerd = await launch(attempt, place)
      const stop = async (): Promise<void> => {
        await dockerd.stop()
        await removeFolder(folder)
        await forgetNetwork()
      }
      return { host: hostOf(folder), stop }
    } catch (error) {
      if (!(error instanceof UserError)) throw error
      progress.log(`dockerd does not start with ${attempt.what}: ${firstLine(error)}`)
      failure = error.message
    }
  }
  await forgetNetwork()
  throw new UserError(`no Docker engine can be started here: ${failure}`)
}

interface Place {
  readonly folder: string
  readonly logFile: string
  readonly book: ProcessBook
  readonly progress: Progress
}

async function launch(attempt: Attempt, { folder, logFile, book, progress }: Place): Promise<KeptProcess> {
  await removeFolder(folder)
  await mkdir(folder, { recursive: true, mode: 0o711 })
  const path = ['/usr/sbin', '/usr/bin', '/sbin', '/bin', process.env['PATH']]
  if (attempt.legacyIptables === true) path.unshift(await legacyIptables(folder))
  const own = [`--data-root=${folder}/data`, `--exec-root=${folder}/exec`, `--pidfile=${folder}/pid`, `--host=${hostOf(folder)}`]
  return keepRunning({
    name: 'dockerd',
    command: 'setpriv',
    args: [...CONTAINED, '/usr/sbin/dockerd', ...attempt.args, ...own, '--log-level=warn', ...(await maximumPacket())],
    env: { ...process.env, PATH: path.join(delimiter) },
    logFile,
    // Nothing of it is kept, so it need not end gracefully.
    stopSignal: 'SIGKILL',
    book,
    log: progress.log,
    isReady: () => succeeds('docker', ['--host', hostOf(folder), 'info'], { timeoutMs: 5_000 }),
    readyWithinMs: READY_WITHIN_MS,
    restarts: false,
  })
}

function hostOf(folder: string): string {
  return `unix://${folder}/docker.sock`
}

/** Repeated while the last processes of a killed engine may still write. */
async function removeFolder(folder: string): Promise<void> {
  for (let triesLeft = 50; triesLeft > 0; triesLeft--) {
    const isRemoved = await removeTree(folder).then(
      () => true,
      () => false,
    )
    if (isRemoved) return
    await delay(REMOVE_AGAIN_AFTER_MS)
  }
  await removeTree(folder)
}

async function legacyIptables(folder: string): Promise<string> {
  const tools = join(folder, 'tools')
  await mkdir(tools)
  for (const name of ['iptables', 'ip6tables']) await symlink(`/usr/sbin/${name}-legacy`, join(tools, name))
  return tools
}

/** The machine's own limit for packets: some networks silently drop larger ones. */
async function maximumPacket(): Promise<string[]> {
  const routes = (await readFile('/proc/net/route', 'utf8')).split('\n').map((line) => line.split('\t'))
  const device = routes.find(([, destination]) => destination === '00000000')?.[0]
  if (device === undefined) return []
  const mtu = (await readFile(`/sys/class/net/${device}/mtu`, 'utf8').catch(() => '')).trim()
  return mtu === '' ? [] : [`--mtu=${mtu}`]
}
