/**
 * Engines of killed commands, whichever clone of this project they were of. Their networks are the machine's: a container that is
 * left on the bridge still answers for its address, which the next engine gives to one of its own.
 */
import { readdirSync, statSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { exists, firstLine, removeTree } from '../backing/rootfs.ts'
import { sendSignal } from '@gateway-infra/system/end-process'
import { openProcessBook, type ProcessBook } from '@gateway-infra/system/process-book'
import { readText } from '@gateway-infra/system/process-identity'

/** What an engine has to stop its containers, before it is killed. */
export const STOP_WITHIN_MS = 60_000
/** Nobody else's folder is called so: what a killed engine has mounted there outlives its clone, and whatever told whose it is. */
const FOLDER = 'gw-engine'
const IN_ENGINE = new RegExp(`^(.*/${FOLDER})/(?:data|exec)(?:/|$)`)

/** The folder of an engine. A short name: below it are sockets, whose whole path the kernel limits to 107 characters. */
export function engineFolder(cacheDir: string): string {
  return join(cacheDir, FOLDER)
}

/** Where an engine in this folder writes down what it starts. Not inside, since that outlives no engine. */
export function processBookOf(folder: string): ProcessBook {
  return openProcessBook(processFolderOf(folder), 'engine')
}

export function processFolderOf(folder: string): string {
  return join(dirname(folder), 'engine-processes')
}

/**
 * Ends the engines that still have something mounted, and what their containers run, and removes them; resolves to what was done.
 * Only for the holder of the machine's lock: whose engine it is, is nobody's any more. The lock is one for each network, so in a
 * network that is not the machine's nothing is ended: the engine there may be somebody's.
 */
export async function endLeftEngines(): Promise<string[]> {
  const [own, machines] = ownNetworks()
  if (machines !== undefined && own !== machines) return []
  const mounts = await readFile('/proc/self/mounts', 'utf8').catch(() => '')
  return Promise.all(
    engineFolders(mounts).map(async (folder) => {
      try {
        // Its clone may be gone, as far as what is mounted can be removed.
        if (await exists(processFolderOf(folder))) await processBookOf(folder).endLeftovers(STOP_WITHIN_MS)
        for (const pid of [...processesOfEngine(folder), ...(await processesOfContainers(folder))]) sendSignal(pid, 'SIGKILL')
        await removeTree(folder)
        return `ended the engine in ${folder}, which a killed command had left`
      } catch (error) {
        return `the engine in ${folder}, which a killed command has left, cannot be removed: ${firstLine(error)}`
      }
    }),
  )
}

/** From the text of `/proc/self/mounts`: each once, in its order. */
export function engineFolders(mounts: string): string[] {
  const folders = mounts.split('\n').map((line) => IN_ENGINE.exec(line.split(' ')[1] ?? '')?.[1])
  return [...new Set(folders.filter((folder) => folder !== undefined))]
}

/** Those in a network of this engine's own. Who uses the machine's network (`default`) has no address to give back. */
async function processesOfContainers(folder: string): Promise<number[]> {
  const names = await readdir(join(folder, 'exec/netns')).catch(() => [])
  const containers = names.filter((name) => name !== 'default')
  const networks = new Set(containers.map((name) => inodeOf(join(folder, 'exec/netns', name))))
  for (const others of [...ownNetworks(), undefined]) networks.delete(others)
  if (networks.size === 0) return []
  return pids().filter((pid) => networks.has(inodeOf(`/proc/${pid}/ns/net`)))
}

/** This process' and the first one's, which not every machine shows. */
function ownNetworks(): [own: string | undefined, machines: string | undefined] {
  return [inodeOf('/proc/self/ns/net'), inodeOf('/proc/1/ns/net')]
}

/** dockerd, should its book not know it any more (containerd ends with it), and what containerd has for each container, to outlive it. */
function processesOfEngine(folder: string): number[] {
  const marks = [`\0--data-root=${folder}/data\0`, `\0-address\0${folder}/exec/`]
  return pids().filter((pid) => {
    const commandLine = readText(`/proc/${pid}/cmdline`) ?? ''
    return marks.some((mark) => commandLine.includes(mark))
  })
}

function pids(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
}

/** `undefined` also for a process that ends while it is looked at. */
function inodeOf(path: string): string | undefined {
  try {
    const { dev, ino } = statSync(path)
    return `${dev}:${ino}`
  } catch {
    return undefined
  }
}
