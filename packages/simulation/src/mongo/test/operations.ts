import fc from 'fast-check'
import type { mongo } from 'mongoose'

/** A document as these tests write it. */
export interface Stored {
  readonly _id: string
  readonly [field: string]: unknown
}

export type Collection = mongo.Collection<Stored>

/** One command, as text for a failure, and as a call of the driver. What it returns is compared. */
export interface Operation {
  readonly text: string
  run(collection: Collection): Promise<unknown>
}

const show = (name: string, ...given: unknown[]) => `${name}(${given.map((one) => JSON.stringify(one)).join(', ')})`

export function insert(documents: readonly Stored[], ordered: boolean): Operation {
  return {
    text: show('insertMany', documents, { ordered }),
    run: async (collection) => (await collection.insertMany([...documents], { ordered })).insertedCount,
  }
}

export function remove(filter: object, many: boolean): Operation {
  return {
    text: show(many ? 'deleteMany' : 'deleteOne', filter),
    run: async (collection) => (many ? await collection.deleteMany(filter) : await collection.deleteOne(filter)).deletedCount,
  }
}

export function updateOne(filter: object, update: object, upsert = false): Operation {
  return {
    text: show('updateOne', filter, update, { upsert }),
    async run(collection) {
      const { matchedCount, modifiedCount, upsertedCount } = await collection.updateOne(filter, update, { upsert })
      return { matchedCount, modifiedCount, upsertedCount }
    },
  }
}

export function updateMany(filter: object, update: object): Operation {
  return {
    text: show('updateMany', filter, update),
    async run(collection) {
      const { matchedCount, modifiedCount } = await collection.updateMany(filter, update)
      return { matchedCount, modifiedCount }
    },
  }
}

export function bulkUpdate(
  updates: readonly { filter: object; update: object; upsert?: boolean }[],
  ordered: boolean,
): Operation {
  return {
    text: show('bulkWrite', updates, { ordered }),
    async run(collection) {
      const operations = updates.map((updateOne) => ({ updateOne }))
      const { matchedCount, modifiedCount, upsertedCount } = await collection.bulkWrite(operations, { ordered })
      return { matchedCount, modifiedCount, upsertedCount }
    },
  }
}

export function findOneAndUpdate(filter: object, update: object, options: mongo.FindOneAndUpdateOptions): Operation {
  return {
    text: show('findOneAndUpdate', filter, update, options),
    run: (collection) => collection.findOneAndUpdate(filter, update, options),
  }
}

/** Without a sort the order is not promised, so the answer is sorted here, and may not be limited. */
export function find(filter: object, options: mongo.FindOptions = {}): Operation {
  return {
    text: show('find', filter, options),
    async run(collection) {
      const found = await collection.find(filter, options).toArray()
      return options.sort ? found : found.toSorted((one, other) => (one._id < other._id ? -1 : 1))
    },
  }
}

export function count(filter: object, options: mongo.CountDocumentsOptions = {}): Operation {
  return { text: show('countDocuments', filter, options), run: (collection) => collection.countDocuments(filter, options) }
}

export interface Index {
  readonly key: Record<string, 1 | -1>
  readonly name: string
  readonly unique?: boolean
  readonly partialFilterExpression?: object
}

/** A collection as one of the services has it. */
export interface Shape {
  readonly indexes: readonly Index[]
  readonly operation: fc.Arbitrary<Operation>
}

const EPOCH = 1_700_000_000_000
/** Few, so that they are often equal. */
export const instant = fc.integer({ min: 0, max: 5 }).map((second) => new Date(EPOCH + second * 1000))
export const id = fc.constantFrom('a', 'b', 'c', 'd')
export const ids = fc.uniqueArray(id, { minLength: 1 })
export const small = fc.integer({ min: 0, max: 1 })
