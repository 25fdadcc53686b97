/** Import rules, imports of types included: no circles, packages by their names, and the rooms and layers of the services. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'

/**
 * The folders of a service, from the top down, and which of them each may import. A room has them inside. A folder that has a line
 * neither here nor in ROOMS fails. A service's root files wire it and may import all of them.
 */
const LAYERS = {
  compose: ['*'],
  wiring: ['*'],
  reference: ['openapi', 'operations', 'http'],
  openapi: ['operations', 'http'],
  http: ['operations', 'use-cases', 'views', 'clients', 'domain'],
  operations: ['use-cases', 'clients'],
  consumers: ['use-cases', 'publishing', 'domain'],
  'use-cases': ['publishing', 'persistence', 'clients', 'tokens', 'domain'],
  views: ['use-cases', 'domain'],
  publishing: ['domain'],
  persistence: ['domain'],
  clients: ['domain'],
  tokens: [],
  domain: [],
}

/** service → room → the rooms that it may import. A room is a subject of its own; others import its index.ts only. */
const ROOMS = {
  'payment-status': {
    observing: ['refunds', 'payments'],
    exports: ['refunds', 'payments'],
    refunds: ['callbacks', 'payments'],
    enquiries: ['callbacks', 'payments'],
    callbacks: ['payments'],
    payments: [],
  },
  'webhook-dispatcher': {
    operating: ['delivering', 'deliveries', 'endpoints'],
    listening: ['deliveries', 'endpoints', 'sending'],
    delivering: ['deliveries', 'endpoints', 'sending', 'throttling'],
    deliveries: ['endpoints', 'sending'],
    endpoints: ['sending'],
    sending: [],
    throttling: [],
  },
  ledger: {
    copying: ['lists', 'reconciliation'],
    timelines: ['lists'],
    reports: ['reconciliation'],
    lists: ['common'],
    reconciliation: ['common'],
    freshness: [],
    common: [],
  },
}

/** The folders of service-kit, from the top down: each imports only those below it. */
const KIT = [
  ...['http-client', 'merchant-auth', 'mongo', 'http', 'limits', 'process', 'tracing', 'audit'],
  ...['metrics', 'scheduling', 'errors', 'logging', 'config', 'secrets'],
]

const PACKAGE = '^((?:services|packages|infra|tools)/[^/]+|e2e|examples)/'
/** The folder that layers are in: a service's own, or that of a room. */
const HOME = '^(services/[^/]+/src/|services/[^/]+/src/[^/]+/)'
const TESTS = '\\.test\\.ts$'
const INDEX = 'index\\.ts$'

const error = (name, comment, from, to) => ({ name, severity: 'error', comment, from, to })
const anyOf = (names) => (names.includes('*') ? '[^/]+' : `(${names.join('|')})`)

const layerRules = Object.entries(LAYERS).map(([layer, below]) =>
  error(
    `layer-${layer}`,
    `${layer} may import ${below.join(', ') || 'no other layer'}.`,
    { path: `${HOME}${layer}/`, pathNot: TESTS },
    { path: '^$1[^/]+/', pathNot: [`^$1${anyOf([layer, ...below])}/`, `^$1[^/]+/${INDEX}`] },
  ),
)

const roomRules = Object.entries(ROOMS).flatMap(([service, rooms]) =>
  Object.entries(rooms).flatMap(([room, others]) => {
    const src = `^services/${service}/src/`
    const own = `${src}${room}/`
    const rest = `${src}${anyOf(Object.keys(rooms))}/`
    const allowed = others.length > 0 ? [`${src}${anyOf(others)}/`] : []
    return [
      error(
        `room-${service}-${room}`,
        `May import: ${others.join(', ')}.`,
        { path: own, pathNot: TESTS },
        { path: rest, pathNot: [own, ...allowed] },
      ),
      error(
        `index-of-${service}-${room}`,
        'A room is imported through its index.',
        { path: src, pathNot: [own, TESTS] },
        { path: own, pathNot: own + INDEX },
      ),
    ]
  }),
)

const KIT_SOURCE = '^packages/service-kit/src/'
const kitRules = KIT.slice(1).map((folder, above) =>
  error(
    `kit-${folder}`,
    `${folder} imports only the folders below it.`,
    { path: `${KIT_SOURCE}${folder}/`, pathNot: TESTS },
    { path: `${KIT_SOURCE}${anyOf(KIT.slice(0, above + 1))}/` },
  ),
)

const folders = (path) =>
  readdirSync(join(import.meta.dirname, path), { withFileTypes: true }).filter((entry) => entry.isDirectory())
for (const { name: service } of folders('services')) {
  const rooms = ROOMS[service] ?? {}
  for (const { name } of folders(`services/${service}/src`)) {
    if (!(name in LAYERS) && !(name in rooms))
      throw new Error(`services/${service}/src/${name} has no line in .dependency-cruiser.mjs`)
  }
}

export default {
  forbidden: [
    error('no-circular', 'Modules that import one another can only be understood together.', {}, { circular: true }),
    error(
      'no-relative-packages',
      'Another package is imported by its name, and only what it exports.',
      { path: PACKAGE },
      { path: PACKAGE, pathNot: ['^$1/', '/node_modules/'], dependencyTypes: ['local'] },
    ),
    error(
      'no-other-service',
      'A service never imports another service.',
      { path: '^services/([^/]+)/src/', pathNot: TESTS },
      { path: '^services/', pathNot: '^services/$1/' },
    ),
    error(
      'no-service-from-outside',
      'Only what tests, measures and simulates services imports them. It is built into no image.',
      {
        path: '^(packages|infra|tools|examples)/',
        pathNot: [TESTS, '/test/', '^packages/(testkit|simulation)/', '^tools/(bench|config-table)/', '^packages/sdk/scripts/'],
      },
      { path: '^services/' },
    ),
    error(
      'pure-domain',
      'A domain imports only contracts, itself, and the index of another room.',
      { path: `${HOME}domain/`, pathNot: TESTS },
      { pathNot: ['^$1domain/', '^packages/contracts/', `^services/[^/]+/src/[^/]+/${INDEX}`] },
    ),
    ...layerRules,
    ...kitRules,
    ...roomRules,
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)node_modules/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'default'],
      extensions: ['.ts', '.mjs', '.js'],
    },
  },
}
