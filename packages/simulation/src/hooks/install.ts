import { createRequire, registerHooks, syncBuiltinESMExports, type LoadFnOutput } from 'node:module'
import type { RequestListener } from 'node:http'
import { patchGlobals } from '../kernel/globals.ts'
import { theEngines } from './engines.ts'
import { SimulatedServer } from './http-server.ts'

const require = createRequire(import.meta.url)
/** What `substitutes.ts` stands for: the importing module and the name that it imports. */
const SUBSTITUTED: readonly RegExp[] = [
  / jose$/u,
  /\/service-kit\/src\/http-client\/\S+ \.\/exchange\.ts$/u,
  /\/connector-client\/src\/\S+ \.\/axios-send\.ts$/u,
  /\/random-bytes\.ts$/u,
]
const SUBSTITUTES = new URL('./substitutes.ts', import.meta.url).href

/** A change of source text: a bug that the simulation must find. */
export interface SourceChange {
  /** The path inside the repository. */
  readonly file: string
  readonly from: string
  readonly to: string
}

const DUE_WORKERS = 'services/payment-status/src/wiring.ts'
/** Polls of idle connections and of an idle database, and looks at years without orders, which would take most of a run's time. */
const LESS_IDLE_WORK: readonly SourceChange[] = [
  { file: 'mongodb/lib/cmap/connection_pool.js', from: 'CheckFrequencyMS ?? 100', to: 'CheckFrequencyMS ?? 2000' },
  // No order becomes so old that its customer is purged.
  { file: 'services/order-api/src/use-cases/purge-customers.ts', from: 'new Date(0)', to: 'new Date(8.64e15)' },
  // Otherwise the comparison would not come to the run's own orders.
  { file: 'services/payment-status/src/payments/use-cases/compare-orders.ts', from: '24 * 60 * 60 * 1000', to: '60 * 1000' },
  { file: DUE_WORKERS, from: '200, useCases.advanceDue', to: '800, useCases.advanceDue' },
  { file: DUE_WORKERS, from: '200, useCases.advanceRefunds', to: '1200, useCases.advanceRefunds' },
]

/** Makes this Node process a simulated world: whatever the services load from now on gets substitutes. Call it once. */
export function install(changes: readonly SourceChange[] = []): void {
  patchGlobals()
  patchSockets()
  const kit = createRequire(new URL('../../../service-kit/package.json', import.meta.url))
  const prometheus = kit('prom-client') as Record<string, unknown>
  // It would observe the real event loop and garbage collector.
  prometheus['collectDefaultMetrics'] = () => undefined
  registerHooks({
    resolve(specifier, context, next) {
      const imported = `${context.parentURL ?? ''} ${specifier}`
      return SUBSTITUTED.some((pattern) => pattern.test(imported))
        ? { url: SUBSTITUTES, shortCircuit: true }
        : next(specifier, context)
    },
    load(url, context, next) {
      const loaded = next(url, context)
      const mine = [...LESS_IDLE_WORK, ...changes].filter(({ file }) => url.endsWith(`/${file}`))
      if (mine.length === 0) return loaded
      return { ...loaded, source: mine.reduce(planted, textOf(loaded.source)) }
    },
  })
}

function textOf(source: LoadFnOutput['source']): string {
  if (source === undefined) throw new Error('a module has no source')
  return typeof source === 'string' ? source : new TextDecoder().decode(source)
}

function planted(source: string, { file, from, to }: SourceChange): string {
  if (source.split(from).length !== 2) throw new Error(`${file} does not have this text once: ${from}`)
  return source.replace(from, () => to)
}

/** The CommonJS objects, whose fields can be replaced. */
function patchSockets(): void {
  const net = require('node:net') as Record<string, unknown>
  const connect = ({ host = '', port = 0 }: { host?: string; port?: number | string }, onConnect?: () => void) => {
    const engines = theEngines()
    const socket = engines.connect(engines.process, host, Number(port))
    const write = socket.write.bind(socket) as (...args: unknown[]) => boolean
    // Each write is a call to the outside, at which the process may die.
    Object.assign(socket, {
      write: (...args: unknown[]) => engines.process.outside(`a write to ${host}`, () => write(...args)) ?? true,
    })
    if (onConnect) socket.once('connect', onConnect)
    return socket
  }
  Object.assign(net, { createConnection: connect, connect })
  const tls = require('node:tls') as { createSecureContext: (options: object) => object }
  // Each dispatcher reads all certificate authorities, and never uses them here.
  const context = tls.createSecureContext({})
  tls.createSecureContext = () => context
  const http = require('node:http') as Record<string, unknown>
  http['createServer'] = (_options: object, listener: RequestListener) => new SimulatedServer(listener)
  // The driver looks for the marks of a container, on another thread and so at a moment of its own.
  const files = require('node:fs') as { promises: Record<string, unknown> }
  for (const name of ['access', 'readFile', 'stat'])
    files.promises[name] = () => Promise.reject(Object.assign(new Error('the simulation has no files'), { code: 'ENOENT' }))
  syncBuiltinESMExports()
}
