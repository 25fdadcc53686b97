/**
 * Engines of killed commands, whichever clone of this project they were of. Their networks are the machine's: a container that is
 * left on the bridge still answers for its address, which the next engine gives to one of its own.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { removeTree } from '../../local/backing/rootfs.ts'
import { sendSignal } from '../../local/system/end-process.ts'
import { openProcessBook, type ProcessBook } from '../../local/system/process-book.ts'

const STOP_WITHIN_MS = 60_000
const IN_ENGINE = /^(.*\/engine)\/(?:exec\/netns|data)\/./

/** Where an engine in this folder writes down what it starts. Not inside, since that outlives no engine. */
export function processBookOf(folder: string): ProcessBook {
  return openProcessBook(processFolderOf(folder), 'engine')
}

export function processFolderOf(folder: string): string {
  return join(dirname(folder), 'engine-processes')
}

/**
 * Ends the engines that still have something mounted, and what their containers run, and removes them; resolves to what was ended.
 * Only for the holder of the machine's lock: whose engine it is, is nobody's any more.
 */
export async function endLeftEngines(): Promise<string[]> {
  const mounts = await readFile('/proc/self/mounts', 'utf8').catch(() => '')
  const ended: string[] = []
  for (const folder of engineFolders(mounts)) {
    if (!isThere(processFolderOf(folder))) continue
    ended.push(`the engine in ${folder}`, ...(await processBookOf(folder).endLeftovers(STOP_WITHIN_MS)))
    for (const pid of [...processesOfContainers(folder), ...shims(folder)]) sendSignal(pid, 'SIGKILL')
    await removeTree(folder)
  }
  return ended
}

/** From the text of `/proc/self/mounts`: each once, in its order. */
export function engineFolders(mounts: string): string[] {
  const folders = mounts.split('\n').map((line) => IN_ENGINE.exec(line.split(' ')[1] ?? '')?.[1])
  return [...new Set(folders.filter((folder) => folder !== undefined))]
}

/** Those in a network of this engine's own. Who uses the machine's network has no address to give back. */
function processesOfContainers(folder: string): number[] {
  const own = inodeOf('/proc/self/ns/net')
  const names = isThere(join(folder, 'exec/netns')) ? readdirSync(join(folder, 'exec/netns')) : []
  const networks = new Set(names.map((name) => inodeOf(join(folder, 'exec/netns', name))))
  for (const nobodys of [own, undefined]) networks.delete(nobodys)
  if (networks.size === 0) return []
  return pids().filter((pid) => networks.has(inodeOf(`/proc/${pid}/ns/net`)))
}

/** What containerd puts between itself and each container, to outlive it. */
function shims(folder: string): number[] {
  return pids().filter((pid) => commandLine(pid).includes(`\0-address\0${folder}/exec/`))
}

function pids(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
}

function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}

/** `undefined` also for a process that ends while it is looked at. */
function inodeOf(path: string): number | undefined {
  try {
    return statSync(path).ino
  } catch {
    return undefined
  }
}

function isThere(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined
}
