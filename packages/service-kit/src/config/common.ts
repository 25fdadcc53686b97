import { createSecretKey, type KeyObject } from 'node:crypto'
import { MAX_PARTITIONS, PARTITION_COUNTS, readSigningSecret, type SigningKey } from '@gateway/contracts'
import { parseMasterKeys, type MasterKeys } from '../secrets/secrets.ts'
import { brokerAddressProblems, databaseAddressProblems, refusedMongoOptions } from './engine-address.ts'
import type { EnvReader, Environment } from './reader.ts'
import { hasPlaceholder, isTyped } from './source.ts'
import { isUrl } from './values.ts'

/** Settings of every service. A service adds its own. */
export interface ServerConfig {
  readonly environment: Environment
  readonly host: string
  readonly port: number
  readonly logLevel: string
  /** How long the service keeps serving after the stop signal, so that load balancers see `/readyz` fail first. */
  readonly shutdownDelayMs: number
  /** Tracing is off when undefined. */
  readonly tracing?: TracingConfig | undefined
}

export interface DatabaseConfig {
  readonly mongoUrl: string
  /** The service's own database on that server. */
  readonly database: string
}

export interface BrokerConfig {
  /** One URL, or one for each node of a cluster, separated by commas. */
  readonly amqpUrl: string
  /** Prefix of every exchange and queue name. Empty in a deployment, which has its own virtual host. */
  readonly amqpPrefix: string
}

const LOG_LEVELS = ['error', 'warn', 'info', 'debug'] as const

/** `ENVIRONMENT`, `HOST`, `PORT`, `LOG_LEVEL`, `SHUTDOWN_DELAY` and the settings of tracing. */
export function readServer(env: EnvReader, defaultPort: number): ServerConfig {
  return {
    environment: env.environment(),
    host: env.text('HOST', '127.0.0.1', 'Address to listen on; `0.0.0.0` in a container', 'address'),
    port: env.port('PORT', defaultPort, 'Port to listen on; 0 picks a free port'),
    logLevel: readLogLevel(env),
    shutdownDelayMs: env.pauseMs('SHUTDOWN_DELAY', '5s', 'How long the service keeps serving, not ready, after the stop signal'),
    tracing: readTracing(env),
  }
}

/** Settings of the command that builds a service's indexes: `ENVIRONMENT`, `MONGO_URL`, `DATABASE` and `LOG_LEVEL`. */
export function readIndexStep(env: EnvReader, defaultName: string): DatabaseConfig & { readonly logLevel: string } {
  // Read first: the environment decides which other values are refused.
  env.environment()
  return { ...readDatabase(env, defaultName), logLevel: readLogLevel(env) }
}

/** `LOG_LEVEL`. */
export function readLogLevel(env: EnvReader): string {
  return env.oneOf('LOG_LEVEL', LOG_LEVELS, 'info', 'Minimum log level')
}

/** `MONGO_URL` and `DATABASE`. */
export function readDatabase(env: EnvReader, defaultName: string): DatabaseConfig {
  const database = env.text('DATABASE', defaultName, "Name of the service's own database", 'letters, digits, `_`, `-`')
  if (!/^[A-Za-z0-9_-]{1,38}$/u.test(database)) env.reject('DATABASE must be letters, digits, _ or -')
  const mongoUrl = env.secretUrl(
    'MONGO_URL',
    ['mongodb:', 'mongodb+srv:'],
    'Address of the database server or replica set, with its password; no option that weakens durability or TLS',
  )
  for (const problem of databaseAddressProblems('MONGO_URL', mongoUrl)) env.rejectInProduction(problem)
  const refused = refusedMongoOptions(mongoUrl)
  if (refused.length > 0) env.reject(`MONGO_URL must not set ${refused.join(', ')}: the services set how durable data is`)
  return { mongoUrl, database }
}

/** `AMQP_URL` and `AMQP_PREFIX`. */
export function readBroker(env: EnvReader): BrokerConfig {
  const amqpUrl = env.secretUrls(
    'AMQP_URL',
    ['amqp:', 'amqps:'],
    'Address of the broker and its virtual host, with its password; production needs `amqps:`',
  )
  for (const problem of brokerAddressProblems('AMQP_URL', amqpUrl)) env.rejectInProduction(problem)
  return {
    amqpUrl,
    amqpPrefix: env.text('AMQP_PREFIX', '', 'Prefix of every exchange and queue name; for stacks that share a virtual host'),
  }
}

/** `QUEUE_PARTITIONS`. */
export function readQueuePartitions(env: EnvReader): number {
  const choices = `${PARTITION_COUNTS.slice(0, -1).join(', ')} or ${PARTITION_COUNTS.at(-1)}`
  const meaning = `Partitions of the queues to which events are published: ${choices}; change it with \`npm run partitions\``
  const partitions = env.integer('QUEUE_PARTITIONS', 1, meaning, { min: 1, max: MAX_PARTITIONS })
  if (!PARTITION_COUNTS.some((count) => count === partitions)) env.reject(`QUEUE_PARTITIONS must be ${choices}`)
  return partitions
}

/** `JWKS_URL`. */
export function readJwksUrl(env: EnvReader): string {
  return env.serviceUrl(
    'JWKS_URL',
    "Address of auth-token's `/internal/v1/jwks.json`: the public keys that verify internal tokens",
  )
}

/** `CHECKOUT_LINK_KEY`: the first key makes links; links of every key are accepted. */
export function readCheckoutLinkKeys(env: EnvReader): [KeyObject, ...KeyObject[]] {
  const meaning =
    'Key that makes checkout links unguessable; the same in every service that reads it. The first of two keys makes links'
  const [first, ...others] = env.liveKeys('CHECKOUT_LINK_KEY', meaning)
  return [createSecretKey(first), ...others.map((key) => createSecretKey(key))]
}

/** `NETWORK_API_KEY`. */
export function readNetworkApiKey(env: EnvReader): string {
  return env.secret('NETWORK_API_KEY', 'Bearer token sent to the network connector')
}

/** `NETWORK_PROXY`: whether calls to the network's connector take the proxy of the environment. */
export function readNetworkUsesProxy(env: EnvReader): boolean {
  const meaning = 'Proxy of calls to the connector; `environment` reads HTTPS_PROXY, HTTP_PROXY and NO_PROXY'
  return env.oneOf('NETWORK_PROXY', ['none', 'environment'], 'none', meaning) === 'environment'
}

/** `MASTER_KEYS`: `<id>:<32 bytes in base64>`, separated by commas, the current one first. */
export function readMasterKeys(env: EnvReader): MasterKeys {
  const type = '`<id>:<32 random bytes in base64>`, separated by commas'
  const text = env.secretText(
    'MASTER_KEYS',
    type,
    'Keys that encrypt secrets at rest; the first one encrypts, all of them decrypt',
  )
  if (text === '') return new Map()
  try {
    const keys = parseMasterKeys(text)
    if ([...keys.values()].some(isTyped)) env.reject('MASTER_KEYS must be random bytes')
    return keys
  } catch {
    env.reject('MASTER_KEYS must be <id>:<32 bytes in base64>, each id once, separated by commas, the current one first')
    return new Map()
  }
}

/** `NETWORK_CALLBACK_SECRET`: one or, while it rotates, two secrets separated by a comma; at most `max` of them. */
export function readCallbackKeys(env: EnvReader, max: 1 | 2): [SigningKey, ...SigningKey[]] {
  const name = 'NETWORK_CALLBACK_SECRET'
  const type = `\`whsec_<at least 24 random bytes in base64>\`${max === 2 ? '; two, separated by a comma, while it rotates' : ''}`
  const text = env.secretText(name, type, 'Signing secret of the network callbacks')
  const secrets = text.split(',').map((part) => part.trim())
  if (text !== '' && secrets.length > max) env.reject(`${name} must be ${max === 2 ? 'one or two secrets' : 'one secret'}`)
  try {
    const [first, ...others] = secrets
    const keys: [SigningKey, ...SigningKey[]] = [readSigningSecret(first ?? ''), ...others.map(readSigningSecret)]
    if (hasPlaceholder(text.replaceAll('whsec_', '')) || keys.some(({ key }) => isTyped(key.export())))
      env.rejectInProduction(`${name} must be random bytes`)
    return keys
  } catch {
    if (text !== '') env.reject(`${name} must be whsec_ and at least 24 bytes in base64`)
    // Never used: the configuration is refused as a whole.
    return [{ key: createSecretKey(Buffer.alloc(1)) }]
  }
}

/** Where traces are sent, and which share of them. */
export interface TracingConfig {
  /** Address of a collector that speaks OTLP over HTTP; `/v1/traces` is appended. */
  readonly endpoint: string
  /** Share of the traces started here that are recorded, 0 to 1. A joined trace follows the decision made at its start. */
  readonly ratio: number
}

/** `OTEL_EXPORTER_OTLP_ENDPOINT` and `OTEL_TRACES_SAMPLER_ARG`, OpenTelemetry's own names. Tracing is off without the first. */
function readTracing(env: EnvReader): TracingConfig | undefined {
  // Plain HTTP is allowed in production: traces hold no card, token or callback, and collectors run beside the service.
  const meaning = 'Collector that receives traces by OTLP over HTTP; tracing is off when unset'
  const endpoint = env.optional('OTEL_EXPORTER_OTLP_ENDPOINT', meaning, 'URL with `http:` or `https:`')
  if (endpoint === undefined) return undefined
  if (!isUrl(endpoint, ['http:', 'https:'])) env.reject('OTEL_EXPORTER_OTLP_ENDPOINT must be a URL with http: or https:')
  const text = env.text('OTEL_TRACES_SAMPLER_ARG', '1', 'Share of traces to record', 'number, 0 to 1')
  const ratio = /^(?:0|1|0?\.\d{1,9}|1\.0{1,9})$/u.test(text) ? Number(text) : NaN
  if (!(ratio >= 0 && ratio <= 1)) env.reject('OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1')
  return { endpoint: endpoint.replace(/\/+$/u, ''), ratio }
}
