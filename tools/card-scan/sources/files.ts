import { createReadStream } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join, relative } from 'node:path'
import type { Source } from '../scan-stream.ts'
import { withoutPageHeaders } from './write-ahead-log.ts'

const PIECE_BYTES = 1024 * 1024

/** Folders in a stack's directory that hold no data of the stack: tools, builds, and the state of other stacks (`test-…`). */
const NOT_OF_THE_STACK = /^(?:node|bin|python|rootfs|compiled|test-\d+)$/u
/** Files that database and broker write. */
const ENGINE_FILE = /^logs\/(?:postgres|rabbitmq|ferretdb)\.log$|^ferretdb\//u
const DATABASE_LOG = 'database: write-ahead log'

/** The files of a stack's own directory: logs, secrets, certificates, records of processes. */
export async function stackFiles(stackDir: string): Promise<Source[]> {
  const own = (await readdir(stackDir)).filter((name) => !NOT_OF_THE_STACK.test(name))
  const files = await Promise.all(own.map((name) => filesBelow(join(stackDir, name))))
  return files.flat().map((file): Source => {
    const name = relative(stackDir, file)
    const open = () => readPieces(file)
    if (ENGINE_FILE.test(name)) return { group: 'logs of the engines', name, policy: 'issued', open }
    return { group: name.startsWith('logs/') ? 'logs of the services' : 'files of the stack', name, policy: 'any', open }
  })
}

/** The files of database and broker on this machine: tables, write-ahead logs, queues and their segments. */
export async function engineFiles(dataDir: string): Promise<Source[]> {
  return (await filesBelow(dataDir)).map((file): Source => {
    const name = relative(dataDir, file)
    const group = engineGroup(name)
    const open = () => (group === DATABASE_LOG ? withoutPageHeaders(readPieces(file)) : readPieces(file))
    return { group, name, policy: 'issued', open }
  })
}

function engineGroup(name: string): string {
  if (name.startsWith('postgres/')) return name.startsWith('postgres/pg_wal/') ? DATABASE_LOG : 'database: data files'
  if (name.endsWith('.segment')) return 'broker: segments of queues'
  return name.endsWith('.wal') ? 'broker: write-ahead log' : 'broker: other files'
}

/** Reads a file in pieces; nothing when an engine has removed the file meanwhile. */
async function* readPieces(file: string): AsyncGenerator<Buffer> {
  try {
    for await (const piece of createReadStream(file, { highWaterMark: PIECE_BYTES })) if (Buffer.isBuffer(piece)) yield piece
  } catch (error) {
    if (!isFailure(error, 'ENOENT')) throw error
  }
}

/** The file itself, or the files of a folder and its folders. */
async function filesBelow(path: string): Promise<string[]> {
  try {
    const entries = await readdir(path, { withFileTypes: true, recursive: true })
    return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name))
  } catch (error) {
    if (isFailure(error, 'ENOTDIR')) return [path]
    if (isFailure(error, 'ENOENT')) return []
    throw error
  }
}

function isFailure(error: unknown, code: string): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === code
}
