import { Collection } from './collection.ts'
import type { Command } from './command.ts'
import type { Cursors } from './cursors.ts'
import { ServerError } from './errors.ts'
import { describeIndex } from './indexes.ts'
import type { Data } from './log.ts'
import { runPipeline, viewOf } from './query.ts'

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
  const view = { sort: command.doc('sort'), projection: command.doc('projection') }
  const [skip, limit] = [command.number('skip') ?? 0, command.number('limit') ?? 0]
  const documents = viewOf(collectionOf(data, namespace).select(command.doc('filter')), { ...view, skip, limit })
  return cursors.open(namespace, documents, command.number('batchSize'), body['singleBatch'] === true)
}

export function getMore(command: Command, cursors: Cursors): Reply {
  command.allowOnly('collection', 'batchSize')
  const id = command.number('getMore') ?? 0
  return cursors.more(id, command.namespaceOf(command.body['collection']), command.number('batchSize'))
}

export function aggregate(command: Command, data: Data, cursors: Cursors): Reply {
  command.allowOnly('pipeline', 'cursor', 'hint', 'allowDiskUse')
  const { namespace } = command
  const documents = runPipeline(collectionOf(data, namespace).all, command.docs('pipeline'))
  const { batchSize } = command.doc('cursor')
  return cursors.open(namespace, documents, typeof batchSize === 'number' ? batchSize : undefined, false)
}

export function listIndexes(command: Command, data: Data, cursors: Cursors): Reply {
  command.allowOnly('cursor')
  const { namespace } = command
  const collection = data.find(namespace)
  if (!collection) throw new ServerError(26, `ns does not exist: ${namespace}`)
  return cursors.open(namespace, collection.indexes.map(describeIndex), undefined, false)
}
