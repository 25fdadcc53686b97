import type { Command } from './command.ts'
import { ServerError, Unsupported } from './errors.ts'
import { newObjectId } from './ids.ts'
import { compileProjection, compileSort } from './shape.ts'
import { compileUpdate, type Update } from './update.ts'
import { fieldsOfFilter } from './update-operators.ts'
import { equal, isDoc, type Doc } from './values.ts'
import type { Writer } from './writer.ts'

type Reply = Record<string, unknown>

/** Runs each statement; a failed one is noted by its place, and ends the command when that is ordered. */
function eachStatement<T>(command: Command, statements: readonly T[], run: (statement: T, at: number) => void): Doc[] {
  const writeErrors: Doc[] = []
  for (const [at, statement] of statements.entries()) {
    try {
      run(statement, at)
    } catch (error) {
      if (!(error instanceof ServerError) || error instanceof Unsupported) throw error
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
      const { _id = newObjectId(writer.world), ...fields } = given
      writer.write(namespace, { after: { _id, ...fields } }, at, { n: 1 })
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
  const change = compileUpdate(u, filter)
  const found = writer.collection(namespace).select(filter)
  if (found.length === 0 && upsert === true) {
    const after = newDocument(filter, change, writer)
    const result = { n: 1, nModified: 0, upserted: after['_id'] }
    writer.write(namespace, { after }, at, result)
    return result
  }
  let nModified = 0
  const chosen = multi === true ? found : found.slice(0, 1)
  for (const before of chosen) {
    const after = change(before, { isInsert: false })
    if (equal(before, after)) continue
    nModified += 1
    writer.write(namespace, { before, after }, at, { n: 1, nModified: 1 })
  }
  return { n: chosen.length, nModified }
}

function newDocument(filter: Doc, change: Update, writer: Writer): Doc {
  const fields = fieldsOfFilter(filter)
  const nested = Object.keys(fields).find((name) => name.includes('.'))
  if (nested !== undefined) throw new Unsupported(`an upsert by the embedded field ${nested}`)
  const { _id = newObjectId(writer.world), ...others } = change(fields, { isInsert: true })
  return { _id, ...others }
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
  const project = compileProjection(command.body['fields'])
  const stored = writer.executed(0)
  const { lastErrorObject, value } = stored ?? modifyOne(command, writer)
  return { lastErrorObject, value: isDoc(value) ? project(value) : null, ok: 1 }
}

function modifyOne(command: Command, writer: Writer): Doc {
  const { namespace, body } = command
  const filter = command.doc('query')
  const order = compileSort(body['sort'])
  const found = writer.collection(namespace).select(filter)
  const [before] = order ? found.toSorted(order) : found
  const write = (change: { before?: Doc | undefined; after?: Doc | undefined }, result: Doc): Doc => {
    writer.write(namespace, change, 0, result)
    return result
  }
  if (body['remove'] === true)
    return before ? write({ before }, { lastErrorObject: { n: 1 }, value: before }) : { lastErrorObject: { n: 0 }, value: null }
  const change = compileUpdate(body['update'], filter)
  const isNew = body['new'] === true
  if (before) {
    const after = change(before, { isInsert: false })
    const result = { lastErrorObject: { n: 1, updatedExisting: true }, value: isNew ? after : before }
    return equal(before, after) ? result : write({ before, after }, result)
  }
  if (body['upsert'] !== true) return { lastErrorObject: { n: 0, updatedExisting: false }, value: null }
  const after = newDocument(filter, change, writer)
  return write(
    { after },
    { lastErrorObject: { n: 1, updatedExisting: false, upserted: after['_id'] }, value: isNew ? after : null },
  )
}

/** `hint` only chooses the way to the documents, which makes no difference here. */
function refuseOthers(command: string, { hint: _hint, ...others }: Doc): void {
  const [name] = Object.keys(others)
  if (name !== undefined) throw new Unsupported(`the field ${name} of an ${command}`)
}
