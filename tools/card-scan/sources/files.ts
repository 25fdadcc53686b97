import { createReadStream } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { basename, join, relative, sep } from 'node:path'
import type { Policy } from '../finder/card-numbers.ts'
import type { Source } from './source.ts'
import { withoutPageHeaders } from './write-ahead-log.ts'

const PIECE_BYTES = 1024 * 1024
const DATABASE_LOG = 'database: write-ahead log'

/** What lies in a stack's directory but is no data of it: tools and their builds, and the states of other stacks (`test-…`). */
const TOOLS = new Set(['node', 'bin', 'python', 'rootfs', 'compiled'])
const OTHER_STACK = /^test-\d+$/u
/** What the engines write themselves. */
const ENGINE_FILE = /^logs\/(?:postgres|rabbitmq|ferretdb)\.log$|^ferretdb\//u

/** The files of a stack's own directory: logs, secrets, certificates, records of processes. */
export async function stackFiles(stackDir: string): Promise<Source[]> {
  const entries = await readdir(stackDir, { withFileTypes: true })
  const own = entries.filter(({ name }) => !TOOLS.has(name) && !OTHER_STACK.test(name))
  const files = await Promise.all(
    own.map(async (entry) => (entry.isDirectory() ? filesBelow(join(stackDir, entry.name)) : [join(stackDir, entry.name)])),
  )
  return files.flat().map((file) => {
    const name = relative(stackDir, file).split(sep).join('/')
    const isEngines = ENGINE_FILE.test(name)
    const group = isEngines ? 'logs of the engines' : name.startsWith('logs/') ? 'logs of the services' : 'files of the stack'
    return fileSource(group, file, name, isEngines ? 'issued' : 'any')
  })
}

/** The files of database and broker, where they run on this machine: tables, write-ahead logs, queues and their segments. */
export async function engineFiles(dataDir: string): Promise<Source[]> {
  return (await filesBelow(dataDir)).map((file) => {
    const name = relative(dataDir, file).split(sep).join('/')
    const source = fileSource(engineGroup(name), file, name, 'issued')
    return source.group === DATABASE_LOG ? { ...source, open: () => withoutPageHeaders(source.open()) } : source
  })
}

function engineGroup(name: string): string {
  if (name.startsWith('postgres/pg_wal/')) return DATABASE_LOG
  if (name.startsWith('postgres/')) return 'database: data files'
  if (name.endsWith('.segment')) return 'broker: segments of queues'
  if (name.endsWith('.wal')) return 'broker: write-ahead log'
  return 'broker: other files'
}

function fileSource(group: string, file: string, name: string, policy: Policy): Source {
  return { group, name: name === '' ? basename(file) : name, policy, open: () => readPieces(file) }
}

/** A file that an engine removed meanwhile holds nothing any more. */
async function* readPieces(file: string): AsyncGenerator<Buffer> {
  try {
    for await (const piece of createReadStream(file, { highWaterMark: PIECE_BYTES })) if (Buffer.isBuffer(piece)) yield piece
  } catch (error) {
    if (!isGone(error)) throw error
  }
}

async function filesBelow(folder: string): Promise<string[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true, recursive: true })
    return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name))
  } catch (error) {
    if (isGone(error)) return []
    throw error
  }
}

function isGone(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === 'ENOENT'
}
