import { aggregate } from 'mingo'
import { valuesOf, type Chunks } from './chunks.ts'
import { Command } from './commands.ts'
import { isDoc, viewOf, type Doc } from './documents.ts'
import { Unsupported } from './errors.ts'

/** What one shard is asked for. */
interface Part {
  readonly shard: number
  readonly command: Command
  /** The places of its statements in the whole command. */
  readonly places: readonly number[]
}

/** The fields that hold the statements of a write. */
const STATEMENTS: Readonly<Record<string, string>> = { insert: 'documents', update: 'updates', delete: 'deletes' }

/** A filter, and how far it reaches. */
export interface Reach {
  readonly filter: Doc
  /** How many shards have to look. */
  readonly shards: number
  /** How many slots it names. */
  readonly slots: number
}

/** A command as a router divides it. */
export interface Divided {
  readonly parts: readonly Part[]
  readonly chunks: readonly number[]
  readonly reaches: readonly Reach[]
  /** The answer to the whole command, of the answers to the parts. */
  merge(answers: readonly Doc[]): Doc
}

/**
 * Divides a command among the shards that its filters and documents name, as mongos does.
 *
 * @param chunks of its collection; `undefined` when that is not sharded: it is on the first shard
 */
export function divide(command: Command, chunks: Chunks | undefined): Divided {
  if (!chunks) return onFirstShard(command)
  switch (command.name) {
    case 'insert':
      return divideStatements(command, (document) => [chunks.chunkOf(document)], chunks)
    case 'update':
      return divideStatements(command, (statement) => chunksOfUpdate(statement, chunks), chunks)
    case 'findAndModify': {
      const whole = divideRead(command, command.doc('query'), chunks)
      if (whole.parts.length > 1) throw new Unsupported('findAndModify that names no shard')
      return whole
    }
    case 'find':
      return divideRead(command, command.doc('filter'), chunks)
    case 'aggregate':
      return divideRead(command, firstMatch(command), chunks)
    case 'createIndexes':
    case 'listIndexes':
      return toEveryShard(command, chunks)
    default:
      throw new Unsupported(`the command ${command.name} on several shards`)
  }
}

function onFirstShard(command: Command): Divided {
  const field = STATEMENTS[command.name]
  const parts = [{ shard: 0, command, places: field ? [...command.docs(field).keys()] : [] }]
  const merge = (answers: readonly Doc[]) => (field ? mergeWrites(parts, answers) : (answers[0] ?? {}))
  return { parts, chunks: [], reaches: [], merge }
}

function chunksOfUpdate({ q, multi, upsert }: Doc, chunks: Chunks): number[] {
  const found = chunks.chunksOf(isDoc(q) ? q : {})
  const isOnOne = new Set(found.map((chunk) => chunks.ownerOf(chunk))).size <= 1
  if (upsert === true || (multi !== true && !isOnOne))
    throw new Unsupported('an upsert, or an update of one document, that names no shard')
  return found
}

function divideStatements(command: Command, chunksFor: (statement: Doc) => readonly number[], chunks: Chunks): Divided {
  const field = STATEMENTS[command.name] ?? ''
  const statements = command.docs(field)
  const placesOf = new Map<number, Set<number>>()
  const touched = new Set<number>()
  const reaches: Reach[] = []
  for (const [place, statement] of statements.entries()) {
    const own = chunksFor(statement)
    const shards = new Set(own.map((chunk) => chunks.ownerOf(chunk)))
    for (const chunk of own) touched.add(chunk)
    for (const shard of shards) placesOf.set(shard, (placesOf.get(shard) ?? new Set()).add(place))
    const { q } = statement
    if (command.name === 'update' && isDoc(q)) reaches.push(reachOf(q, shards.size))
  }
  if (placesOf.size > 1 && statements.length > 1 && command.body['ordered'] !== false)
    throw new Unsupported('ordered writes on several shards')
  const parts = [...placesOf].map(([shard, places]): Part => {
    const own = [...places].map((place) => statements[place])
    const part = placesOf.size === 1 ? command : new Command({ ...command.body, [field]: own, stmtIds: [...places] })
    return { shard, command: part, places: [...places] }
  })
  return { parts, chunks: [...touched], reaches, merge: (answers) => mergeWrites(parts, answers) }
}

/** Adds up what the shards have written. A shard that cannot be reached is an error of each statement that it was to do. */
function mergeWrites(parts: readonly Part[], answers: readonly Doc[]): Doc {
  const [only = {}, ...others] = answers
  if (others.length === 0 && only['ok'] !== 0) return only
  const each = parts.map(({ places, command }, at) => ({
    places,
    isOrdered: command.body['ordered'] !== false,
    answer: answers[at] ?? {},
  }))
  const sum = (field: string) => each.reduce((total, { answer }) => total + Number(answer[field] ?? 0), 0)
  const writeErrors = each.flatMap(({ places, isOrdered, answer }): Doc[] => {
    if (answer['ok'] === 0) {
      const { code, errmsg } = answer
      const failed = isOrdered ? places.slice(0, 1) : places
      return failed.map((index) => ({ index, code, errmsg: `write results unavailable :: caused by :: ${String(errmsg)}` }))
    }
    return listOf(answer['writeErrors']).map((error) => ({ ...error, index: places[Number(error['index'])] }))
  })
  const writeConcernError = each.map(({ answer }) => answer['writeConcernError']).find((error) => error !== undefined)
  const inOrder = writeErrors.toSorted((one, other) => Number(one['index']) - Number(other['index']))
  return {
    ...{ n: sum('n'), nModified: sum('nModified') },
    ...(inOrder.length > 0 && { writeErrors: inOrder }),
    ...(writeConcernError !== undefined && { writeConcernError }),
    ok: 1,
  }
}

function divideRead(command: Command, filter: Doc, chunks: Chunks): Divided {
  const found = chunks.chunksOf(filter)
  const touched = found.length > 0 ? found : [0]
  const shards = [...new Set(touched.map((chunk) => chunks.ownerOf(chunk)))]
  const reaches = [reachOf(filter, shards.length)]
  if (shards.length === 1) {
    const parts = shards.map((shard) => ({ shard, command, places: [] }))
    return { parts, chunks: touched, reaches, merge: ([answer = {}]) => answer }
  }
  const { $db, lsid, readConcern } = command.body
  const part = new Command({
    find: command.body[command.name],
    filter,
    $db,
    ...(lsid !== undefined && { lsid }),
    ...(readConcern !== undefined && { readConcern }),
  })
  const parts = shards.map((shard) => ({ shard, command: part, places: [] }))
  return {
    ...{ parts, chunks: touched, reaches },
    merge(answers) {
      const failed = answers.find(({ ok }) => ok === 0)
      if (failed) return failed
      // A replaced primary may still have a chunk that has moved since.
      const owned = (doc: Doc, shard: number | undefined) => chunks.ownerOf(chunks.chunkOf(doc)) === shard
      const documents = answers.flatMap((answer, at) => documentsIn(answer).filter((doc) => owned(doc, shards[at])))
      return { cursor: { firstBatch: resultOf(command, documents), id: 0n, ns: command.namespace }, ok: 1 }
    },
  }
}

function resultOf(command: Command, documents: Doc[]): readonly Doc[] {
  if (command.name === 'aggregate') return aggregate(documents, [...command.docs('pipeline')])
  const [sort, projection, limit] = [command.doc('sort'), command.doc('projection'), Number(command.body['limit'] ?? 0)]
  return viewOf(documents, { sort, projection, limit })
}

function toEveryShard(command: Command, chunks: Chunks): Divided {
  const touched = Array.from({ length: chunks.count }, (_, chunk) => chunk)
  const parts = Array.from({ length: chunks.shards }, (_, shard) => ({ shard, command, places: [] }))
  return { parts, chunks: touched, reaches: [], merge: (answers) => answers.find(({ ok }) => ok === 0) ?? answers[0] ?? {} }
}

function reachOf(filter: Doc, shards: number): Reach {
  return { filter, shards, slots: new Set(valuesOf(filter, 'slot')).size }
}

function firstMatch(command: Command): Doc {
  const match = command.docs('pipeline')[0]?.['$match']
  return isDoc(match) ? match : {}
}

function listOf(value: unknown): Doc[] {
  return Array.isArray(value) ? value.filter(isDoc) : []
}

function documentsIn({ cursor }: Doc): Doc[] {
  return isDoc(cursor) ? listOf(cursor['firstBatch']) : []
}
