import { isDeepStrictEqual } from 'node:util'
import type { Command } from './command.ts'
import { ServerError, Unsupported } from './errors.ts'
import { isNewIndex, readIndex } from './indexes.ts'
import { viewOf } from './query.ts'
import { compileUpdate, type Update } from './update.ts'
import { fieldsOfFilter } from './update-operators.ts'
import { isDoc, type Doc } from './values.ts'
import type { Writer } from './writer.ts'

type Reply = Record<string, unknown>

/** Runs each statement; a failed one is noted by its place, and ends the command when that is ordered. */
function eachStatement<T>(command: Command, statements: readonly T[], run: (statement: T, at: number) => void): Doc[] {
  const writeErrors: Doc[] = []
  for (const [at, statement] of statements.entries()) {
    try {
      run(statement, at)
    } catch (error) {
      if (!(error instanceof ServerError)) throw error
      writeErrors.push({ index: at, code: error.code, errmsg: error.message, ...error.details })
      if (command.body['ordered'] !== false) break
    }
  }
  return writeErrors
}

function withErrors(reply: Reply, writeErrors: readonly Doc[]): Reply {
  return writeErrors.length > 0 ? { ...reply, writeErrors } : reply
}

export function insert(command: Command, writer: Writer): Reply {
  command.allowOnly('documents', 'ordered', 'bypassDocumentValidation', 'txnNumber')
  const { namespace } = command
  let n = 0
  const errors = eachStatement(command, command.docs('documents'), (given, at) => {
    if (!writer.executed(at)) {
      writer.write(namespace, { after: withId(given) }, at, { n: 1 })
    }
    n += 1
  })
  return withErrors({ n, ok: 1 }, errors)
}

interface Updated {
  readonly n: number
  readonly nModified: number
  readonly upserted?: unknown
}

export function update(command: Command, writer: Writer): Reply {
  command.allowOnly('updates', 'ordered', 'bypassDocumentValidation', 'txnNumber')
  const { namespace } = command
  let [n, nModified] = [0, 0]
  const upserted: Doc[] = []
  const errors = eachStatement(command, command.docs('updates'), (statement, at) => {
    const done = writer.executed(at) ?? { ...updateOnce(namespace, statement, at, writer) }
    n += Number(done['n'])
    nModified += Number(done['nModified'])
    if ('upserted' in done) upserted.push({ index: at, _id: done['upserted'] })
  })
  return withErrors({ n, nModified, ...(upserted.length > 0 && { upserted }), ok: 1 }, errors)
}

function updateOnce(namespace: string, statement: Doc, at: number, writer: Writer): Updated {
  const { q, u, multi = false, upsert = false, ...others } = statement
  refuseOthers('update', others)
  const filter = isDoc(q) ? q : {}
  const change = compileUpdate(u)
  const found = writer.collection(namespace).select(filter)
  if (found.length === 0 && upsert === true) {
    const after = newDocument(filter, change)
    const result = { n: 1, nModified: 0, upserted: after['_id'] }
    writer.write(namespace, { after }, at, result)
    return result
  }
  let nModified = 0
  const chosen = multi === true ? found : found.slice(0, 1)
  for (const before of chosen) {
    const after = change(before, { isInsert: false })
    if (isDeepStrictEqual(before, after)) continue
    nModified += 1
    writer.write(namespace, { before, after }, at, { n: 1, nModified: 1 })
  }
  return { n: chosen.length, nModified }
}

function newDocument(filter: Doc, change: Update): Doc {
  const fields = fieldsOfFilter(filter)
  const nested = Object.keys(fields).find((name) => name.includes('.'))
  if (nested !== undefined) throw new Unsupported(`an upsert by the embedded field ${nested}`)
  return withId(change(fields, { isInsert: true }))
}

/** The id comes first, as on a server. */
function withId({ _id, ...fields }: Doc): Doc {
  if (_id === undefined) throw new Unsupported('documents without an id')
  return { _id, ...fields }
}

export function remove(command: Command, writer: Writer): Reply {
  command.allowOnly('deletes', 'ordered', 'txnNumber')
  const { namespace } = command
  let n = 0
  const errors = eachStatement(command, command.docs('deletes'), ({ q, limit = 0, ...others }, at) => {
    refuseOthers('delete', others)
    const done = writer.executed(at)
    if (done) {
      n += Number(done['n'])
      return
    }
    const found = writer.collection(namespace).select(isDoc(q) ? q : {})
    for (const before of limit === 1 ? found.slice(0, 1) : found) {
      writer.write(namespace, { before }, at, { n: 1 })
      n += 1
    }
  })
  return withErrors({ n, ok: 1 }, errors)
}

export function findAndModify(command: Command, writer: Writer): Reply {
  command.allowOnly('query', 'update', 'remove', 'new', 'fields', 'sort', 'upsert', 'bypassDocumentValidation', 'txnNumber')
  if (command.body['remove'] === true) throw new Unsupported('findAndModify with remove')
  const stored = writer.executed(0)
  const { lastErrorObject, value } = stored ?? modifyOne(command, writer)
  return { lastErrorObject, value: isDoc(value) ? viewOf([value], { projection: command.doc('fields') })[0] : null, ok: 1 }
}

function modifyOne(command: Command, writer: Writer): Doc {
  const { namespace, body } = command
  const filter = command.doc('query')
  const [before] = viewOf(writer.collection(namespace).select(filter), { sort: command.doc('sort') })
  const write = (change: { before?: Doc | undefined; after?: Doc | undefined }, result: Doc): Doc => {
    writer.write(namespace, change, 0, result)
    return result
  }
  const change = compileUpdate(body['update'])
  const isNew = body['new'] === true
  if (before) {
    const after = change(before, { isInsert: false })
    const result = { lastErrorObject: { n: 1, updatedExisting: true }, value: isNew ? after : before }
    return isDeepStrictEqual(before, after) ? result : write({ before, after }, result)
  }
  if (body['upsert'] !== true) return { lastErrorObject: { n: 0, updatedExisting: false }, value: null }
  const after = newDocument(filter, change)
  return write(
    { after },
    { lastErrorObject: { n: 1, updatedExisting: false, upserted: after['_id'] }, value: isNew ? after : null },
  )
}

export function createIndexes(command: Command, writer: Writer): Reply {
  command.allowOnly('indexes', 'commitQuorum')
  const { namespace } = command
  const before = writer.collection(namespace).indexes
  const after = [...before]
  for (const wanted of command.docs('indexes').map(readIndex)) if (isNewIndex(after, wanted)) after.push(wanted)
  const createdCollectionAutomatically = !writer.branch.newest.find(namespace)
  if (after.length > before.length || createdCollectionAutomatically) writer.setIndexes(namespace, after)
  return { numIndexesBefore: before.length, numIndexesAfter: after.length, createdCollectionAutomatically, ok: 1 }
}

/** `hint` only chooses the way to the documents, which makes no difference here. */
function refuseOthers(command: string, { hint: _hint, ...others }: Doc): void {
  const [name] = Object.keys(others)
  if (name !== undefined) throw new Unsupported(`the field ${name} of an ${command}`)
}
