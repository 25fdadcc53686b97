import type { Command } from './command.ts'
import { ServerError } from './errors.ts'
import { isNewIndex, readIndex } from './indexes.ts'
import type { Writer } from './writer.ts'

type Reply = Record<string, unknown>

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

/** Changes the time after which an index removes documents. */
export function collMod(command: Command, writer: Writer): Reply {
  command.allowOnly('index')
  const { namespace } = command
  const { name, expireAfterSeconds } = command.doc('index')
  const before = writer.collection(namespace).indexes
  const index = before.find((one) => one.name === name)
  if (!index) throw new ServerError(27, `cannot find index ${String(name)} for ns ${namespace}`)
  if (typeof expireAfterSeconds !== 'number') throw new ServerError(72, 'collMod changes only expireAfterSeconds here')
  writer.setIndexes(
    namespace,
    before.map((one) => (one === index ? { ...one, expireAfterSeconds } : one)),
  )
  return { expireAfterSeconds_old: index.expireAfterSeconds ?? null, expireAfterSeconds_new: expireAfterSeconds, ok: 1 }
}

export function drop(command: Command, writer: Writer): Reply {
  command.allowOnly()
  const { namespace } = command
  const nIndexesWas = writer.collection(namespace).indexes.length
  writer.drop(namespace)
  return { nIndexesWas, ns: namespace, ok: 1 }
}

export function dropDatabase(command: Command, writer: Writer): Reply {
  command.allowOnly()
  for (const { namespace } of writer.branch.newest.collections)
    if (namespace.startsWith(`${command.database}.`)) writer.drop(namespace)
  return { dropped: command.database, ok: 1 }
}
