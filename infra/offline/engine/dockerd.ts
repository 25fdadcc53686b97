/** Debian's dockerd with its own socket and folder, both removed afterwards. Needs root. */
import { mkdir, readFile, symlink } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { firstLine, removeTree } from '../backing/rootfs.ts'
import type { Progress } from '@gateway-infra/system/progress'
import type { Child } from '@gateway-infra/system/child'
import type { ProcessBook } from '@gateway-infra/system/process-book'
import { succeeds } from '@gateway-infra/system/run'
import { until } from '@gateway-infra/system/until'
import { UserError } from '@gateway-infra/system/user-error'
import { endLeftEngines, engineFolder, processBookOf, processFolderOf, STOP_WITHIN_MS } from './left-engines.ts'
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

/** Tries these ways in order; throws a `UserError` with the end of the log when none works. The caller holds the machine's lock. */
export async function startEngine(cacheDir: string, progress: Progress): Promise<Engine> {
  const folder = engineFolder(cacheDir)
  const logFile = join(cacheDir, 'dockerd.log')
  const book = processBookOf(folder)
  const left = await book.endLeftovers(STOP_WITHIN_MS)
  if (left.length > 0) progress.log(`ended processes of a killed command: ${left.join(', ')}`)
  for (const done of await endLeftEngines()) progress.log(done)
  await removeTree(folder)
  const forgetNetwork = await rememberNetwork(processFolderOf(folder))
  const host = `unix://${folder}/docker.sock`
  for (const attempt of ATTEMPTS) {
    const child = await launch(attempt, { folder, host, logFile, book }).catch((error: unknown) => {
      progress.log(`dockerd does not start with ${attempt.what}: ${firstLine(error)}`)
      return undefined
    })
    if (!child) continue
    const stop = async (): Promise<void> => {
      await child.stop(STOP_WITHIN_MS)
      await removeTree(folder)
      await forgetNetwork()
    }
    return { host, stop }
  }
  await forgetNetwork()
  throw new UserError(`no Docker engine can be started here. The end of its log, ${logFile}:\n${await lastLines(logFile)}`)
}

interface Place {
  readonly folder: string
  readonly host: string
  readonly logFile: string
  readonly book: ProcessBook
}

async function launch(attempt: Attempt, { folder, host, logFile, book }: Place): Promise<Child> {
  await removeTree(folder)
  await mkdir(folder, { recursive: true, mode: 0o711 })
  const path = ['/usr/sbin', '/usr/bin', '/sbin', '/bin', process.env['PATH']]
  if (attempt.legacyIptables === true) path.unshift(await legacyIptables(folder))
  const args = [
    ...attempt.args,
    `--data-root=${folder}/data`,
    `--exec-root=${folder}/exec`,
    `--pidfile=${folder}/pid`,
    `--host=${host}`,
    '--log-level=warn',
    ...(await maximumPacket()),
  ]
  const env = { ...process.env, PATH: path.join(delimiter) }
  const child = await book.start({ name: 'dockerd', command: '/usr/sbin/dockerd', args, env, logFile })
  try {
    const answers = async (): Promise<boolean> => succeeds('docker', ['--host', host, 'info'], { timeoutMs: 5_000 })
    await until('dockerd', answers, READY_WITHIN_MS, child.exited)
    return child
  } catch (error) {
    await child.stop(STOP_WITHIN_MS)
    throw error
  }
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

async function lastLines(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch(() => '')
  return text.trimEnd().split('\n').slice(-10).join('\n')
}
