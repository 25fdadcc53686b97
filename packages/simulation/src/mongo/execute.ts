import type { Branch } from './branch.ts'
import type { Command } from './command.ts'
import type { Cursors } from './cursors.ts'
import { Unsupported } from './errors.ts'
import * as reads from './read-commands.ts'
import * as writes from './write-commands.ts'
import type { Writer } from './writer.ts'

type Reply = Record<string, unknown>

const WRITES: Readonly<Record<string, (command: Command, writer: Writer) => Reply>> = {
  insert: writes.insert,
  update: writes.update,
  delete: writes.remove,
  findAndModify: writes.findAndModify,
  createIndexes: writes.createIndexes,
}

const READS: Readonly<Record<string, (command: Command, data: Branch['newest'], cursors: Cursors) => Reply>> = {
  find: reads.find,
  aggregate: reads.aggregate,
  listIndexes: reads.listIndexes,
}

export function isWrite({ name }: Command): boolean {
  return name in WRITES
}

/** Runs a command on the data of a primary. Throws `ServerError`. */
export function execute(command: Command, branch: Branch, writer: Writer, cursors: Cursors): Reply {
  const write = WRITES[command.name]
  if (write) return write(command, writer)
  if (command.name === 'getMore') return reads.getMore(command, cursors)
  const read = READS[command.name]
  if (!read) throw new Unsupported(`the command ${command.name}`)
  return read(command, command.readsCommitted ? branch.committed : branch.newest, cursors)
}

/** Runs a command that any member answers; `undefined` when it is none. */
export function executeAnywhere(command: Command, cursors: Cursors): Reply | undefined {
  switch (command.name) {
    case 'ping':
    case 'endSessions':
      return { ok: 1 }
    case 'buildInfo':
    case 'buildinfo':
      return { version: '8.0.0', versionArray: [8, 0, 0, 0], ok: 1 }
    case 'killCursors': {
      const ids: unknown = command.body['cursors']
      const { killed, missing } = cursors.kill(Array.isArray(ids) ? ids : [])
      return { cursorsKilled: killed, cursorsNotFound: missing, cursorsAlive: [], cursorsUnknown: [], ok: 1 }
    }
    default:
      return undefined
  }
}
