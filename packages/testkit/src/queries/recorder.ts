import { AsyncLocalStorage } from 'node:async_hooks'
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import mongoose, { mongo } from 'mongoose'
import { serviceOf, statementsOf, type Statement } from './statements.ts'

/** A statement that some code has sent, and where: `<file>:<line>`, when the call stack tells it. */
export interface RecordedStatement extends Statement {
  readonly site?: string
}

/** Who made a query. */
interface Origin {
  readonly site?: string
  /** The service whose code is on the call stack. */
  readonly service?: string
  readonly isTest: boolean
}

const ROOT = join(import.meta.dirname, '../../../..')
const FRAME = /^ {4}at (?<later>async )?.*?(?:file:\/\/)?(?<path>\/[^()]+?):(?<line>\d+):\d+\)?$/u
const IN_TESTS = /\/test\/|\.test\.ts$|^e2e\/|^packages\/testkit\/|^tools\/card-scan\//u
const SERVICE = /^services\/(?<service>[^/]+)\/src\//u
const FRAMES = 30

const DRIVER_METHODS = [
  ...['find', 'findOne', 'findOneAndUpdate', 'findOneAndReplace', 'findOneAndDelete', 'aggregate', 'countDocuments', 'distinct'],
  ...['insertOne', 'insertMany', 'updateOne', 'updateMany', 'replaceOne', 'deleteOne', 'deleteMany', 'bulkWrite'],
]
const MODEL_METHODS = [
  ...['find', 'findOne', 'findOneAndUpdate', 'findOneAndDelete', 'countDocuments', 'distinct'],
  ...['updateOne', 'updateMany', 'replaceOne', 'deleteOne', 'deleteMany'],
]

const origins = new AsyncLocalStorage<Origin>()
/** Cursors and Mongoose's queries send their command later. */
const originOf = new WeakMap<object, Origin>()
let isRecording = false

/**
 * Appends each different statement that services send to MongoDB to a file of this process in the directory. Statements of the tests
 * themselves are left out. Done once in a process.
 */
export function recordQueries(directory: string): void {
  if (isRecording) return
  isRecording = true
  const [file, seen] = [join(directory, `${process.pid}.jsonl`), new Set<string>()]
  const onCommand = ({ command, databaseName }: mongo.CommandStartedEvent): void => {
    const origin = origins.getStore()
    const service = origin?.service ?? serviceOf(databaseName)
    if (!origin || origin.isTest || service === undefined) return
    for (const statement of statementsOf(service, command)) {
      const recorded: RecordedStatement = { ...statement, ...(origin.site === undefined ? {} : { site: origin.site }) }
      const line = JSON.stringify(recorded)
      if (!seen.has(line)) appendFileSync(file, `${line}\n`)
      seen.add(line)
    }
  }
  around(mongo.MongoClient.prototype, 'connect', (client, run) => {
    if (client instanceof mongo.MongoClient && !client.listeners('commandStarted').includes(onCommand)) {
      Object.assign(client, { monitorCommands: true })
      client.on('commandStarted', onCommand)
    }
    return run()
  })
  noteOrigins()
}

/** Leaves out the queries that services send meanwhile, for a test that has put a wrong document into the database. */
export function unrecorded<T>(run: () => T): T {
  return origins.run({ isTest: true }, run)
}

/** Makes the origin of a command known while it is sent. */
function noteOrigins(): void {
  const atCall = (_self: object, run: () => unknown): unknown => {
    const origin = origins.getStore() ?? originHere()
    const made = origins.run(origin, run)
    if (made instanceof mongo.AbstractCursor || made instanceof mongoose.Query) originOf.set(made, origin)
    return made
  }
  const later = (self: object, run: () => unknown): unknown => {
    const origin = originOf.get(self)
    return origin ? origins.run(origin, run) : run()
  }
  for (const method of DRIVER_METHODS) around(mongo.Collection.prototype, method, atCall)
  for (const method of MODEL_METHODS) around(mongoose.Model, method, atCall)
  for (const cursor of [mongo.FindCursor, mongo.AggregationCursor]) around(cursor.prototype, '_initialize', later)
  for (const method of ['exec', 'cursor']) around(mongoose.Query.prototype, method, later)
}

/** Puts a function around a method. `run` calls the method as it was called. */
function around(target: object, name: string, wrap: (self: object, run: () => unknown) => unknown): void {
  const descriptor = Object.getOwnPropertyDescriptor(target, name)
  const method: unknown = descriptor?.value
  if (typeof method !== 'function') throw new Error(`there is no method ${name} to record`)
  function value(this: object, ...args: unknown[]): unknown {
    return wrap(this, () => Reflect.apply(method as () => unknown, this, args))
  }
  Object.defineProperty(target, name, { ...descriptor, value })
}

/** By the call stack: the nearest code of this repository makes the query. Code that only awaits one may be a test. */
function originHere(): Origin {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = FRAMES
  const { stack = '' } = new Error('here')
  Error.stackTraceLimit = stackTraceLimit
  const frames = stack.split('\n').flatMap((text) => {
    const { path = '', line = '', later } = FRAME.exec(text)?.groups ?? {}
    const isOurs = path.startsWith(`${ROOT}/`) && !path.includes('/node_modules/') && path !== import.meta.filename
    return isOurs ? [{ path: path.slice(ROOT.length + 1), line, isAsync: later !== undefined }] : []
  })
  const [nearest] = frames
  const service = frames.map(({ path }) => SERVICE.exec(path)?.groups?.['service']).find((name) => name !== undefined)
  return {
    ...(nearest && !nearest.isAsync ? { site: `${nearest.path}:${nearest.line}` } : {}),
    ...(service === undefined ? {} : { service }),
    isTest: nearest !== undefined && !nearest.isAsync && IN_TESTS.test(nearest.path),
  }
}
