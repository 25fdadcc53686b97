import { Collection } from './collection.ts'
import type { Command } from './command.ts'
import type { Cursors } from './cursors.ts'
import { ServerError, Unsupported } from './errors.ts'
import { describeIndex } from './indexes.ts'
import type { Data } from './log.ts'
import { compileProjection, compileSort } from './shape.ts'
import { isDoc, type Doc } from './values.ts'

type Reply = Record<string, unknown>

const FIND_FIELDS = [
  'filter',
  'sort',
  'projection',
  'skip',
  'limit',
  'batchSize',
  'singleBatch',
  'hint',
  'noCursorTimeout',
  'allowDiskUse',
]

/** A collection that does not exist is empty, and commands on it are checked too. */
function collectionOf(data: Data, namespace: string): Collection {
  return data.find(namespace) ?? new Collection(namespace)
}

export function find(command: Command, data: Data, cursors: Cursors): Reply {
  command.allowOnly(...FIND_FIELDS)
  const { namespace, body } = command
  const [skip, limit] = [command.number('skip') ?? 0, command.number('limit') ?? 0]
  const [order, project] = [compileSort(body['sort']), compileProjection(body['projection'])]
  const selected = collectionOf(data, namespace).select(command.doc('filter'))
  const sorted = order ? selected.toSorted(order) : selected
  const documents = sorted.slice(skip, limit > 0 ? skip + limit : undefined).map(project)
  return cursors.open(namespace, documents, command.number('batchSize'), body['singleBatch'] === true)
}

export function getMore(command: Command, cursors: Cursors): Reply {
  command.allowOnly('collection', 'batchSize')
  const id = command.number('getMore') ?? 0
  return cursors.more(id, command.namespaceOf(command.body['collection']), command.number('batchSize'))
}

export function count(command: Command, data: Data): Reply {
  command.allowOnly('query', 'limit', 'skip', 'hint')
  const found = collectionOf(data, command.namespace).select(command.doc('query'))
  const [skip, limit] = [command.number('skip') ?? 0, command.number('limit') ?? 0]
  return { n: found.slice(skip, limit > 0 ? skip + limit : undefined).length, ok: 1 }
}

/** The stages that filter and sort, and the group that `countDocuments` sends. */
export function aggregate(command: Command, data: Data, cursors: Cursors): Reply {
  command.allowOnly('pipeline', 'cursor', 'hint', 'allowDiskUse')
  const { namespace } = command
  const collection = collectionOf(data, namespace)
  let documents: readonly Doc[] = collection.all
  for (const stage of command.docs('pipeline')) documents = runStage(stage, documents, collection)
  const { batchSize } = command.doc('cursor')
  return cursors.open(namespace, documents, typeof batchSize === 'number' ? batchSize : undefined, false)
}

function runStage(stage: Doc, documents: readonly Doc[], collection: Collection): readonly Doc[] {
  const [[name, operand] = ['', undefined], ...others] = Object.entries(stage)
  if (others.length > 0) throw new ServerError(2, 'A pipeline stage specification object must contain exactly one field.')
  switch (name) {
    case '$match': {
      const selected = new Set(collection.select(isDoc(operand) ? operand : {}))
      return documents.filter((doc) => selected.has(doc))
    }
    case '$sort': {
      const order = compileSort(operand)
      return order ? documents.toSorted(order) : documents
    }
    case '$skip':
      return documents.slice(Number(operand))
    case '$limit':
      return documents.slice(0, Number(operand))
    case '$group':
      return countAll(operand, documents)
    default:
      throw new Unsupported(`the aggregation stage ${name}`)
  }
}

/** `{ _id: <constant>, n: { $sum: 1 } }`. */
function countAll(operand: unknown, documents: readonly Doc[]): readonly Doc[] {
  const { _id, n, ...others } = isDoc(operand) ? operand : {}
  const sums = isDoc(n) && n['$sum'] === 1 && Object.keys(n).length === 1
  if (!sums || Object.keys(others).length > 0 || (typeof _id === 'string' && _id.startsWith('$')) || isDoc(_id))
    throw new Unsupported('a $group other than that of countDocuments')
  return documents.length > 0 ? [{ _id, n: documents.length }] : []
}

export function listIndexes(command: Command, data: Data, cursors: Cursors): Reply {
  command.allowOnly('cursor')
  const { namespace } = command
  const collection = data.find(namespace)
  if (!collection) throw new ServerError(26, `ns does not exist: ${namespace}`)
  return cursors.open(namespace, collection.indexes.map(describeIndex), undefined, false)
}

export function listCollections(command: Command, data: Data, cursors: Cursors): Reply {
  command.allowOnly('filter', 'nameOnly', 'cursor', 'authorizedCollections')
  const prefix = `${command.database}.`
  const names = data.collections.map(({ namespace }) => namespace).filter((namespace) => namespace.startsWith(prefix))
  const { name } = command.doc('filter')
  const found = names.map((namespace) => namespace.slice(prefix.length)).filter((one) => name === undefined || one === name)
  return cursors.open(
    `${prefix}$cmd.listCollections`,
    found.map((one) => ({ name: one, type: 'collection' })),
    undefined,
    false,
  )
}
