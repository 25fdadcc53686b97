import { createSecretKey, type KeyObject } from 'node:crypto'
import { readSigningSecret, type SigningKey } from '@gateway/contracts'
import type { EnvReader, Environment } from './reader.ts'
import { hasPlaceholder, isTyped } from './secret.ts'
import { parseMasterKeys, type MasterKeys } from '../secrets/seal.ts'
import { readTracing, type TracingConfig } from './tracing.ts'

/** What every service reads; a service adds its own to it. */
export interface ServerConfig {
  readonly environment: Environment
  readonly host: string
  readonly port: number
  readonly logLevel: string
  /** From the signal to stop until it stops to listen: who balances load must have seen `/readyz` by then. */
  readonly shutdownDelayMs: number
  /** `undefined`: nothing is traced. */
  readonly tracing?: TracingConfig | undefined
}

export interface DatabaseConfig {
  readonly mongoUrl: string
  /** The service's own database on that server. */
  readonly database: string
}

export interface BrokerConfig {
  /** One, or those of a cluster's nodes, separated by commas. */
  readonly amqpUrl: string
  /** Before every exchange and queue; empty in a deployment, which has its own virtual host. */
  readonly amqpPrefix: string
}

const LOG_LEVELS = ['error', 'warn', 'info', 'debug'] as const

/** `ENVIRONMENT`, `HOST`, `PORT`, `LOG_LEVEL`, `SHUTDOWN_DELAY`, and where traces go. */
export function readServer(env: EnvReader, defaultPort: number): ServerConfig {
  return {
    environment: env.environment(),
    host: env.text('HOST', '127.0.0.1', 'the address it listens on; `0.0.0.0` in a container', 'address'),
    port: env.port('PORT', defaultPort, 'where it listens; 0 is any free port'),
    logLevel: readLogLevel(env),
    shutdownDelayMs: env.pauseMs('SHUTDOWN_DELAY', '5s', 'how long it still serves, not ready, after it was told to stop'),
    tracing: readTracing(env),
  }
}

/** What the step that builds a service's indexes reads: `ENVIRONMENT`, `MONGO_URL`, `DATABASE` and `LOG_LEVEL`. */
export function readIndexStep(env: EnvReader, defaultName: string): DatabaseConfig & { readonly logLevel: string } {
  // First: it decides what else is refused.
  env.environment()
  return { ...readDatabase(env, defaultName), logLevel: readLogLevel(env) }
}

/** `LOG_LEVEL`. */
export function readLogLevel(env: EnvReader): string {
  return env.oneOf('LOG_LEVEL', LOG_LEVELS, 'info', 'the least important log lines that are written')
}

/** `MONGO_URL` and `DATABASE`. */
export function readDatabase(env: EnvReader, defaultName: string): DatabaseConfig {
  const database = env.text('DATABASE', defaultName, "the service's own database on that server", 'letters, digits, `_`, `-`')
  if (!/^[A-Za-z0-9_-]{1,38}$/u.test(database)) env.reject('DATABASE must be letters, digits, _ or -')
  const mongoUrl = env.secretUrl(
    'MONGO_URL',
    ['mongodb:', 'mongodb+srv:'],
    'the database server or replica set, with its password',
  )
  return { mongoUrl, database }
}

/** `AMQP_URL` and `AMQP_PREFIX`. */
export function readBroker(env: EnvReader): BrokerConfig {
  return {
    amqpUrl: env.secretUrls('AMQP_URL', ['amqp:', 'amqps:'], 'the broker and its virtual host, with its password'),
    amqpPrefix: env.text('AMQP_PREFIX', '', 'stands before every exchange and queue, where stacks share a virtual host'),
  }
}

const INTERNAL_API_TOKEN = 'what services show one another on their internal routes; the same for all of them'

/** `INTERNAL_API_TOKEN`. */
export function readInternalApiToken(env: EnvReader): string {
  return env.secret('INTERNAL_API_TOKEN', INTERNAL_API_TOKEN)
}

/** `JWKS_URL`. */
export function readJwksUrl(env: EnvReader): string {
  return env.serviceUrl('JWKS_URL', "auth-token's `/internal/v1/jwks.json`: the keys that merchants' tokens are verified with")
}

/** `CHECKOUT_LINK_KEY`. */
export function readCheckoutLinkKey(env: EnvReader): KeyObject {
  return createSecretKey(env.key('CHECKOUT_LINK_KEY', 'makes checkout links unguessable; the same for all who read it'))
}

/** `NETWORK_API_KEY`. */
export function readNetworkApiKey(env: EnvReader): string {
  return env.secret('NETWORK_API_KEY', "what the network's connector is shown")
}

/** `MASTER_KEYS`: `<id>:<32 bytes in base64>`, separated by commas, the current one first. */
export function readMasterKeys(env: EnvReader): MasterKeys {
  const type = '`<id>:<32 random bytes in base64>`, separated by commas'
  const text = env.secretText('MASTER_KEYS', type, 'encrypt secrets at rest; the first one seals, all of them open')
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
  const text = env.secretText(name, type, 'signs the callbacks of the network')
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
    // Never used: the configuration is refused.
    return [{ key: createSecretKey(Buffer.alloc(1)) }]
  }
}
