import type { EnvReader, Environment } from './config.ts'
import { parseMasterKeys, type MasterKeys } from './seal.ts'

/** What every service reads; a service adds its own to it. */
export interface ServerConfig {
  readonly environment: Environment
  readonly host: string
  readonly port: number
  readonly logLevel: string
}

export interface DatabaseConfig {
  readonly mongoUrl: string
  /** The service's own database on that server. */
  readonly database: string
}

export interface BrokerConfig {
  readonly amqpUrl: string
  /** Before every exchange and queue; empty in a deployment, which has its own virtual host. */
  readonly amqpPrefix: string
}

const LOG_LEVELS = ['error', 'warn', 'info', 'debug'] as const

/** A key of fewer different bytes was typed, not drawn. */
const MIN_DISTINCT_BYTES = 12

/** `ENVIRONMENT`, `HOST`, `PORT` and `LOG_LEVEL`. */
export function readServer(env: EnvReader, defaultPort: number): ServerConfig {
  return {
    environment: env.environment(),
    host: env.text('HOST', '127.0.0.1'),
    port: env.port('PORT', defaultPort),
    logLevel: env.oneOf('LOG_LEVEL', LOG_LEVELS, 'info'),
  }
}

/** `MONGO_URL` and `DATABASE`. */
export function readDatabase(env: EnvReader, defaultName: string): DatabaseConfig {
  const database = env.text('DATABASE', defaultName)
  if (!/^[A-Za-z0-9_-]{1,38}$/u.test(database)) env.reject('DATABASE must be letters, digits, _ or -')
  return { mongoUrl: env.url('MONGO_URL', ['mongodb:', 'mongodb+srv:']), database }
}

/** `AMQP_URL` and `AMQP_PREFIX`. */
export function readBroker(env: EnvReader): BrokerConfig {
  return { amqpUrl: env.url('AMQP_URL', ['amqp:', 'amqps:']), amqpPrefix: env.text('AMQP_PREFIX', '') }
}

/** `MASTER_KEYS`: `<id>:<32 bytes in base64>`, separated by commas, the current one first. */
export function readMasterKeys(env: EnvReader): MasterKeys {
  const text = env.text('MASTER_KEYS')
  if (text === '') return new Map()
  try {
    const keys = parseMasterKeys(text)
    if ([...keys.values()].some((key) => new Set(key).size < MIN_DISTINCT_BYTES)) env.reject('MASTER_KEYS must be random bytes')
    return keys
  } catch {
    env.reject('MASTER_KEYS must be <id>:<32 bytes in base64>, separated by commas, the current one first')
    return new Map()
  }
}
