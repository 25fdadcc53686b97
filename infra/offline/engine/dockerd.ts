/** Debian's dockerd with its own socket and folder, both removed afterwards. Needs root. */
import { existsSync } from 'node:fs'
import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { keepRunning, type KeptProcess } from '@gateway-infra/system/keep-running'
import { openProcessBook } from '@gateway-infra/system/process-book'
import type { Progress } from '@gateway-infra/system/progress'
import { run, succeeds } from '@gateway-infra/system/run'
import { UserError } from '@gateway-infra/system/user-error'
import { firstLine } from '../build-once.ts'

/** Best first. Without packet rules, a proxy publishes ports. Legacy iptables is for kernels without nf_tables. */
const ATTEMPTS = [
  { what: 'overlay2', args: ['--storage-driver=overlay2'], isLegacy: false },
  { what: 'overlay2, legacy iptables', args: ['--storage-driver=overlay2'], isLegacy: true },
  { what: 'overlay2, no iptables', args: ['--storage-driver=overlay2', '--iptables=false'], isLegacy: false },
  { what: 'vfs', args: ['--storage-driver=vfs'], isLegacy: false },
  { what: 'vfs, no iptables', args: ['--storage-driver=vfs', '--iptables=false'], isLegacy: false },
] as const
const READY_WITHIN_MS = 60_000

/**
 * Arguments of `setpriv`: the engine and its containers run in namespaces of their own for processes and mounts. So the kernel
 * ends all of them, and removes their mounts, when the engine ends; and it ends the engine when this process dies, even of SIGKILL.
 */
export const CONTAINED = ['--pdeathsig=KILL', 'unshare', '--mount', '--pid', '--fork', '--kill-child', '--mount-proc']

/**
 * Tries these ways in order; resolves to the engine's address for `DOCKER_HOST`. Throws a `UserError` with the end of the log when
 * none works. The caller holds the machine's lock.
 */
export async function startEngine(cacheDir: string, progress: Progress): Promise<{ host: string; stop(): Promise<void> }> {
  // The name is short since the folder contains sockets, whose path the kernel limits to 107 characters.
  const folder = join(cacheDir, 'gw-engine')
  const host = `unix://${folder}/docker.sock`
  const records = join(cacheDir, 'engine-processes')
  const book = openProcessBook(records, 'engine')
  await book.endLeftovers()
  const forgetNetwork = await rememberNetwork(records)

  const launch = async ({ args, isLegacy }: (typeof ATTEMPTS)[number]): Promise<KeptProcess> => {
    await removeFolder(folder)
    await mkdir(folder, { recursive: true, mode: 0o711 })
    const path = [...(isLegacy ? [await legacyIptables(folder)] : []), '/usr/sbin', '/usr/bin', '/sbin', '/bin']
    const own = [`--data-root=${folder}/data`, `--exec-root=${folder}/exec`, `--pidfile=${folder}/pid`, `--host=${host}`]
    return keepRunning({
      name: 'dockerd',
      command: 'setpriv',
      args: [...CONTAINED, '/usr/sbin/dockerd', ...args, ...own, '--log-level=warn', ...(await maximumPacket())],
      env: { ...process.env, PATH: [...path, process.env['PATH']].join(delimiter) },
      logFile: join(cacheDir, 'dockerd.log'),
      // Nothing of it is kept, so it need not end gracefully.
      stopSignal: 'SIGKILL',
      book,
      log: progress.log,
      isReady: () => succeeds('docker', ['--host', host, 'info'], { timeoutMs: 5_000 }),
      readyWithinMs: READY_WITHIN_MS,
      restarts: false,
    })
  }
  let failure = ''
  for (const attempt of ATTEMPTS) {
    try {
      const dockerd = await launch(attempt)
      const stop = async (): Promise<void> => {
        await dockerd.stop()
        await removeFolder(folder)
        await forgetNetwork()
      }
      return { host, stop }
    } catch (error) {
      if (!(error instanceof UserError)) throw error
      progress.log(`dockerd does not start with ${attempt.what}: ${firstLine(error)}`)
      failure = error.message
    }
  }
  await forgetNetwork()
  throw new UserError(`no Docker engine can be started here: ${failure}`)
}

/** Tries for ten seconds, since the last processes of a killed engine may still write. Its mounts ended with its mount namespace. */
async function removeFolder(folder: string): Promise<void> {
  for (let pauses = 50; ; pauses--) {
    try {
      await rm(folder, { recursive: true, force: true })
      return
    } catch (error) {
      if (pauses === 0) throw error
      await sleep(200)
    }
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
  const device = routes.find(([, destination]) => destination === '00000000')?.[0] ?? ''
  const mtu = (await readFile(`/sys/class/net/${device}/mtu`, 'utf8').catch(() => '')).trim()
  return mtu === '' ? [] : [`--mtu=${mtu}`]
}

const FORWARDING = '/proc/sys/net/ipv4/ip_forward'
const BRIDGE = '/sys/class/net/docker0'
/** Empty tables, for those that did not exist before the engine. */
const EMPTY = {
  filter: '*filter\n:INPUT ACCEPT [0:0]\n:FORWARD ACCEPT [0:0]\n:OUTPUT ACCEPT [0:0]\nCOMMIT\n',
  nat: '*nat\n:PREROUTING ACCEPT [0:0]\n:INPUT ACCEPT [0:0]\n:OUTPUT ACCEPT [0:0]\n:POSTROUTING ACCEPT [0:0]\nCOMMIT\n',
}
const EVEN_WHEN_STOPPING = { evenWhenStopping: true, timeoutMs: 10_000 }

/** Records bridge, packet rules and packet forwarding of this machine; the returned function restores it after the engine has ended. Changes by other engines stay. */
async function rememberNetwork(folder: string): Promise<() => Promise<void>> {
  await mkdir(folder, { recursive: true })
  const hadBridge = existsSync(BRIDGE)
  const forwarding = await readFile(FORWARDING, 'utf8').catch(() => undefined)
  const file = join(folder, 'iptables.rules')
  const saved = run('iptables-save', ['-f', file]).then(() => readFile(file, 'utf8'))
  // `undefined` when the packet rules cannot be read.
  const rules = await saved.catch(() => undefined)
  return async () => {
    if (!hadBridge && existsSync(BRIDGE))
      await run('ip', ['link', 'delete', 'docker0'], EVEN_WHEN_STOPPING).catch(() => undefined)
    if (forwarding !== undefined) await writeFile(FORWARDING, forwarding).catch(() => undefined)
    if (rules === undefined || rules.includes('DOCKER')) return
    const missing = Object.entries(EMPTY).filter(([table]) => !rules.includes(`*${table}\n`))
    await writeFile(file, rules + missing.map(([, text]) => text).join(''))
    await run('iptables-restore', [file], EVEN_WHEN_STOPPING).catch(() => undefined)
    await rm(file, { force: true })
  }
}
