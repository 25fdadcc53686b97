/**
 * Ends Docker engines that killed commands left running, of any clone of this project. They share the machine's bridge: a
 * container that is still on it answers for its address, which the next engine gives to one of its own containers.
 */
import { readdirSync, statSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { exists, firstLine, removeTree } from '../backing/rootfs.ts'
import { sendSignal } from '@gateway-infra/system/end-process'
import { openProcessBook, type ProcessBook } from '@gateway-infra/system/process-book'
import { readText } from '@gateway-infra/system/process-identity'

/** How long an engine may take to stop its containers before it is killed. */
export const STOP_WITHIN_MS = 60_000
/** Only our engines' folders have this name; mounts in them outlive the clone that made them. */
const FOLDER = 'gw-engine'
const IN_ENGINE = new RegExp(`^(.*/${FOLDER})/(?:data|exec)(?:/|$)`)

/** The folder of an engine. The name is short since it contains sockets, whose path the kernel limits to 107 characters. */
export function engineFolder(cacheDir: string): string {
  return join(cacheDir, FOLDER)
}

/** The record of an engine's processes. Not inside its folder, which is removed with the engine. */
export function processBookOf(folder: string): ProcessBook {
  return openProcessBook(processFolderOf(folder), 'engine')
}

export function processFolderOf(folder: string): string {
  return join(dirname(folder), 'engine-processes')
}

/**
 * Ends the engines that still have mounts, and their containers, and removes their folders; resolves to a description of each.
 * Only the holder of the machine's lock may call it. There is one lock per network namespace, so engines in another network
 * namespace are left running: they may be in use.
 */
export async function endLeftEngines(): Promise<string[]> {
  const [own, machines] = ownNetworks()
  if (machines !== undefined && own !== machines) return []
  const mounts = await readFile('/proc/self/mounts', 'utf8').catch(() => '')
  return Promise.all(
    engineFolders(mounts).map(async (folder) => {
      try {
        // Its clone may have been removed except for the mounts.
        if (await exists(processFolderOf(folder))) await processBookOf(folder).endLeftovers(STOP_WITHIN_MS)
        for (const pid of [...processesOfEngine(folder), ...(await processesOfContainers(folder))]) sendSignal(pid, 'SIGKILL')
        await removeTree(folder)
        return `ended the engine in ${folder}, left by a killed command`
      } catch (error) {
        return `the engine in ${folder}, left by a killed command, cannot be removed: ${firstLine(error)}`
      }
    }),
  )
}

/** Engine folders in the text of `/proc/self/mounts`, each once. */
export function engineFolders(mounts: string): string[] {
  const folders = mounts.split('\n').map((line) => IN_ENGINE.exec(line.split(' ')[1] ?? '')?.[1])
  return [...new Set(folders.filter((folder) => folder !== undefined))]
}

/** Containers in a network of the engine. One that uses the machine's network (`default`) has no address on the bridge. */
async function processesOfContainers(folder: string): Promise<number[]> {
  const names = await readdir(join(folder, 'exec/netns')).catch(() => [])
  const containers = names.filter((name) => name !== 'default')
  const networks = new Set(containers.map((name) => inodeOf(join(folder, 'exec/netns', name))))
  for (const others of [...ownNetworks(), undefined]) networks.delete(others)
  if (networks.size === 0) return []
  return pids().filter((pid) => networks.has(inodeOf(`/proc/${pid}/ns/net`)))
}

/** Network namespaces of this process and of process 1, which not every machine shows. */
function ownNetworks(): [own: string | undefined, machines: string | undefined] {
  return [inodeOf('/proc/self/ns/net'), inodeOf('/proc/1/ns/net')]
}

/** Processes of an engine: dockerd, and containerd's shim of each container, which outlives dockerd. */
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

/** `undefined` also when the process ends meanwhile. */
function inodeOf(path: string): string | undefined {
  try {
    const { dev, ino } = statSync(path)
    return `${dev}:${ino}`
  } catch {
    return undefined
  }
}
