import { isDeepStrictEqual } from 'node:util'
import { aggregate } from 'mingo'
import { mongo } from 'mongoose'
import type { Branch, Entry, Session } from './branch.ts'
import { readIndex, type IndexSpec } from './collection.ts'
import { inserted, isDoc, keyText, updated, viewOf, withId, type Doc } from './documents.ts'
import { ServerError, Unsupported } from './errors.ts'

type Reply = Record<string, unknown>

/** What every command may have beside its own fields. */
const COMMON = [
  '$db',
  'lsid',
  'txnNumber',
  'stmtIds',
  '$clusterTime',
  '$readPreference',
  'readConcern',
  'writeConcern',
  'maxTimeMS',
]

/** A command as it arrives, with access to its fields by type. */
export class Command {
  readonly name: string
  readonly body: Doc

  constructor(body: Doc) {
    const [name = ''] = Object.keys(body)
    this.name = name
    this.body = body
  }

  /** Throws when the command has a field that the model would ignore. */
  allowOnly(...fields: readonly string[]): void {
    refuseOthers(this.body, `command ${this.name}`, [this.name, ...COMMON, ...fields])
  }

  /** `<database>.<collection>`, of the collection that the command's first field names. */
  get namespace(): string {
    return `${String(this.body['$db'])}.${String(this.body[this.name])}`
  }

  doc(field: string): Doc {
    const value = this.body[field] ?? {}
    if (!isDoc(value)) throw new Unsupported(`the command ${this.name} with such a ${field}`)
    return value
  }

  docs(field: string): readonly Doc[] {
    const value = this.body[field]
    if (!Array.isArray(value) || !value.every(isDoc)) throw new Unsupported(`the command ${this.name} with such ${field}`)
    return value
  }

  /** The retryable write that this is, if it is one. */
  get retryable(): Session | undefined {
    const { txnNumber } = this.body
    const { id } = this.doc('lsid')
    return typeof txnNumber === 'number' && id instanceof mongo.BSON.Binary
      ? { session: id.toString('hex'), txnNumber }
      : undefined
  }

  /** True when the write is acknowledged only on a majority, which is also the default of a replica set since MongoDB 5.0. */
  get waitsForMajority(): boolean {
    return (this.doc('writeConcern')['w'] ?? 'majority') === 'majority'
  }

  /** True when documents are read as of the majority point; `local` is the default. */
  get readsCommitted(): boolean {
    const { level = 'local' } = this.doc('readConcern')
    if (level !== 'majority' && level !== 'local') throw new Unsupported(`the read concern ${String(level)}`)
    return level === 'majority'
  }

  get isWrite(): boolean {
    return this.name in WRITES
  }
}

/** Throws when a command or a part of it has a field that the model would ignore. */
function refuseOthers(given: Doc, what: string, known: readonly string[]): void {
  const unknown = Object.keys(given).find((field) => !known.includes(field))
  if (unknown !== undefined) throw new Unsupported(`the field ${unknown} of the ${what}`)
}

/** How a command writes on one server. */
interface Writing {
  /** The shard key of the collection, when that is sharded. */
  readonly key: readonly string[] | undefined
  /** Called with each entry that the command writes. */
  readonly onEntry: (entry: Entry) => void
}

/** Runs a command on the data of a primary. Throws `ServerError`. */
export function execute(command: Command, branch: Branch, writing: Writing): Reply {
  const write = WRITES[command.name]
  if (write) return write(command, writerOf(command, branch, writing))
  const read = READS[command.name]
  if (!read) throw new Unsupported(`the command ${command.name}`)
  const collection = (command.readsCommitted ? branch.committed : branch.newest).collection(command.namespace)
  // The first batch has all documents. A real server limits its size, and the driver then sends getMore for the rest.
  return { cursor: { firstBatch: read(command, collection), id: 0n, ns: command.namespace }, ok: 1 }
}

type Collection = ReturnType<Branch['newest']['collection']>

const READS: Readonly<Record<string, (command: Command, collection: Collection) => readonly Doc[]>> = {
  find(command, collection) {
    command.allowOnly('filter', 'sort', 'projection', 'limit', 'batchSize', 'singleBatch', 'hint')
    const [sort, projection, limit] = [command.doc('sort'), command.doc('projection'), Number(command.body['limit'] ?? 0)]
    return viewOf(collection.select(command.doc('filter')), { sort, projection, limit })
  },
  aggregate(command, collection) {
    command.allowOnly('pipeline', 'cursor', 'hint')
    return aggregate(collection.all, [...command.docs('pipeline')])
  },
  listIndexes: (_command, collection) => collection.indexes,
}

type Writer = ReturnType<typeof writerOf>

/** Writes to the newest data of a branch on behalf of one command. */
function writerOf({ namespace, retryable, body }: Command, branch: Branch, { key, onEntry }: Writing) {
  const collection = branch.newest.collection(namespace)
  const { stmtIds } = body
  /** A router names the places of the statements in the whole command. */
  const placeOf = (at: number): number => (Array.isArray(stmtIds) ? Number(stmtIds[at]) : at)
  const append = (entry: Entry): void => {
    branch.append(entry)
    onEntry(entry)
  }
  return {
    collection,
    /** The answer of the retryable statement at this place, when it has been executed before. */
    executed: (at: number): Doc | undefined => retryable && branch.newest.executed(retryable, placeOf(at)),
    /** Adds a document, or replaces the one before. `result` is what the statement at this place is answered. Throws E11000. */
    write(before: Doc | undefined, after: Doc, at: number, result: Doc): Doc {
      if (before && key?.some((field) => before[field] !== after[field])) throw new Unsupported('a change of a shard key')
      collection.check(after, before)
      const statement = retryable && { ...retryable, statement: placeOf(at), result }
      append({ change: { kind: 'write', namespace, id: keyText(after['_id']), before, after }, statement })
      return result
    },
    /** Deletes documents. */
    remove(documents: readonly Doc[], at: number, result: Doc): Doc {
      const statement = retryable && { ...retryable, statement: placeOf(at), result }
      const ids = documents.map(({ _id }) => _id)
      if (ids.length > 0) append({ change: { kind: 'removed', namespace, ids }, statement })
      return result
    },
    createIndexes(given: readonly Doc[]): void {
      const { indexes } = collection
      const added = given.map(readIndex).filter(({ name }) => !indexes.some((index) => index.name === name))
      for (const index of added) if (key) refuseUnlessPrefix(index, key)
      if (added.length > 0) append({ change: { kind: 'indexes', namespace, after: [...indexes, ...added] } })
    },
  }
}

/**
 * A unique index of a sharded collection begins with the whole shard key: no shard knows of the keys of the others.
 * Source: https://www.mongodb.com/docs/manual/core/sharding-shard-key/#unique-indexes
 */
function refuseUnlessPrefix({ key, name, unique }: IndexSpec, shardKey: readonly string[]): void {
  const fields = Object.keys(key)
  if (unique !== true || shardKey.every((field, at) => fields[at] === field)) return
  throw new ServerError(67, `cannot create unique index ${name} over { ${fields.join()} } with shard key { ${shardKey.join()} }`)
}

const WRITES: Readonly<Record<string, (command: Command, writer: Writer) => Reply>> = {
  insert(command, writer) {
    command.allowOnly('documents', 'ordered')
    return eachStatement(command, command.docs('documents'), (given, at) => {
      return writer.executed(at) ?? writer.write(undefined, withId(given), at, { n: 1 })
    })
  },
  update(command, writer) {
    command.allowOnly('updates', 'ordered')
    return eachStatement(command, command.docs('updates'), (statement, at) => {
      return writer.executed(at) ?? updateOnce(statement, at, writer)
    })
  },
  delete(command, writer) {
    command.allowOnly('deletes', 'ordered')
    return eachStatement(command, command.docs('deletes'), (statement, at) => {
      return writer.executed(at) ?? deleteOnce(statement, at, writer)
    })
  },
  findAndModify(command, writer) {
    command.allowOnly('query', 'update', 'new', 'remove', 'upsert')
    const { new: isNew, remove, upsert } = command.body
    if (isNew !== true || remove === true || upsert === true) throw new Unsupported('findAndModify without `new`, or with others')
    const nothing = { lastErrorObject: { n: 0, updatedExisting: false }, value: null }
    return { ...(writer.executed(0) ?? modifyOne(command, writer) ?? nothing), ok: 1 }
  },
  createIndexes(command, writer) {
    command.allowOnly('indexes')
    writer.createIndexes(command.docs('indexes'))
    return { ok: 1 }
  },
}

/** Runs each statement and adds up the results; a failed one is noted by its place, and ends the command when that is ordered. */
function eachStatement(command: Command, statements: readonly Doc[], run: (statement: Doc, at: number) => Doc): Reply {
  const [writeErrors, upserted]: [Doc[], Doc[]] = [[], []]
  let [n, nModified] = [0, 0]
  for (const [at, statement] of statements.entries()) {
    try {
      const result = run(statement, at)
      n += Number(result['n'])
      nModified += Number(result['nModified'] ?? 0)
      if ('upserted' in result) upserted.push({ index: at, _id: result['upserted'] })
    } catch (error) {
      if (!(error instanceof ServerError)) throw error
      writeErrors.push({ index: at, code: error.code, errmsg: error.message, ...error.details })
      if (command.body['ordered'] !== false) break
    }
  }
  return { n, nModified, ...(upserted.length > 0 && { upserted }), ...(writeErrors.length > 0 && { writeErrors }), ok: 1 }
}

function updateOnce(statement: Doc, at: number, writer: Writer): Doc {
  refuseOthers(statement, 'update', ['q', 'u', 'multi', 'upsert', 'hint'])
  const { q, u, multi, upsert } = statement
  const filter = isDoc(q) ? q : {}
  const found = writer.collection.select(filter)
  if (found.length === 0 && upsert === true) {
    const after = inserted(filter, u)
    return writer.write(undefined, after, at, { n: 1, nModified: 0, upserted: after['_id'] })
  }
  let nModified = 0
  const chosen = multi === true ? found : found.slice(0, 1)
  for (const before of chosen) {
    const after = updated(before, u)
    if (isDeepStrictEqual(before, after)) continue
    nModified += 1
    writer.write(before, after, at, { n: 1, nModified: 1 })
  }
  return { n: chosen.length, nModified }
}

function deleteOnce(statement: Doc, at: number, writer: Writer): Doc {
  refuseOthers(statement, 'delete', ['q', 'limit', 'hint'])
  const { q, limit } = statement
  const found = writer.collection.select(isDoc(q) ? q : {})
  const chosen = limit === 1 ? found.slice(0, 1) : found
  return writer.remove(chosen, at, { n: chosen.length })
}

/** `undefined` when no document fulfils the query. */
function modifyOne(command: Command, writer: Writer): Doc | undefined {
  const [before] = writer.collection.select(command.doc('query'))
  if (!before) return undefined
  const value = updated(before, command.body['update'])
  const result = { lastErrorObject: { n: 1, updatedExisting: true }, value }
  return isDeepStrictEqual(before, value) ? result : writer.write(before, value, 0, result)
}
