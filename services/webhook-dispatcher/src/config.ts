import { readFileSync } from 'node:fs'
import {
  readBroker,
  readDatabase,
  readJwksUrl,
  readMasterKeys,
  readServer,
  type BrokerConfig,
  type DatabaseConfig,
  type EnvReader,
  type MasterKeys,
  type ServerConfig,
} from '@gateway/service-kit'
import type { BreakerRules } from './domain/breaker.ts'
import { readOperatingConfig, type OperatingConfig } from './operating-config.ts'

/** Unless `DATABASE` says otherwise. */
export const DATABASE_NAME = 'webhook_dispatcher'

export interface DispatcherConfig extends ServerConfig, DatabaseConfig, BrokerConfig, OperatingConfig {
  readonly jwksUrl: string
  readonly masterKeys: MasterKeys
  readonly operatorPort: number
  readonly operatorToken: string
  readonly retryDelaysMs: readonly number[]
  /** How long a message may stay aside whose endpoint cannot be tried now; the shortest first. */
  readonly parkDelaysMs: readonly [number, ...number[]]
  readonly breaker: BreakerRules
  /** Without any acknowledgement for so long an endpoint is disabled. */
  readonly disableAfterMs: number
  /** Hosts that need not be public, for development; a plain-HTTP URL stays refused. */
  readonly allowedHosts: ReadonlySet<string>
  /** PEM of authorities trusted beside the system's own. */
  readonly extraCa: readonly string[]
  /** For one whole exchange with a merchant's server. */
  readonly timeoutMs: number
  /** How long after its longest exchange an attempt may still be recorded, before another may make it. */
  readonly claimMarginMs: number
  readonly endpointConcurrency: number
  readonly prefetch: number
  /** A delivery that should have been tried this long ago is woken up again. */
  readonly sweepOverdueMs: number
  readonly sweepIntervalMs: number
}

const MAX_RETRIES = 20
const MAX_PARK_DELAYS = 10

export function readDispatcherConfig(env: EnvReader): DispatcherConfig {
  const endpointConcurrency = env.integer('WEBHOOK_ENDPOINT_CONCURRENCY', 20, 'requests at once to one endpoint, per replica', {
    min: 1,
    max: 1000,
  })
  return {
    ...readServer(env, 8105),
    ...readDatabase(env, DATABASE_NAME),
    ...readBroker(env),
    ...readOperatingConfig(env),
    jwksUrl: readJwksUrl(env),
    masterKeys: readMasterKeys(env),
    operatorPort: env.port('OPERATOR_PORT', 8115, 'where the API for operators listens'),
    operatorToken: env.secret('OPERATOR_TOKEN', 'what operators of this service show; not the same as INTERNAL_API_TOKEN'),
    retryDelaysMs: readRetryDelaysMs(env),
    parkDelaysMs: readParkDelaysMs(env),
    breaker: readBreaker(env, endpointConcurrency),
    disableAfterMs: env.durationMs(
      'WEBHOOK_DISABLE_AFTER',
      '5d',
      'an endpoint that acknowledged nothing for so long is disabled',
    ),
    allowedHosts: readAllowedHosts(env),
    extraCa: readCaFile(env),
    timeoutMs: env.durationMs('WEBHOOK_TIMEOUT', '10s', "for one whole exchange with a merchant's server"),
    claimMarginMs: env.durationMs('WEBHOOK_CLAIM_MARGIN', '20s', 'how long after its exchange an attempt may still be recorded'),
    endpointConcurrency,
    prefetch: env.integer('WEBHOOK_PREFETCH', 400, 'messages that a replica holds at once', { min: 1, max: 5000 }),
    sweepOverdueMs: env.durationMs('SWEEP_OVERDUE', '2m', 'a delivery that should have been tried so long ago is woken up again'),
    sweepIntervalMs: env.durationMs('SWEEP_INTERVAL', '15s', 'how often overdue deliveries are looked for'),
  }
}

function readRetryDelaysMs(env: EnvReader): number[] {
  const meaning = `between the attempts of a delivery, which is dead after the last; at most ${MAX_RETRIES}`
  const delaysMs = env.durationsMs('WEBHOOK_RETRY_DELAYS', '10s,1m,5m,15m,1h,3h,6h', meaning)
  if (delaysMs.length > MAX_RETRIES) env.reject(`WEBHOOK_RETRY_DELAYS must be at most ${MAX_RETRIES} durations`)
  return delaysMs
}

function readAllowedHosts(env: EnvReader): Set<string> {
  const hosts = env.sandboxList('WEBHOOK_ALLOWED_HOSTS', 'names or addresses', 'hosts of endpoints that need not be public')
  return new Set(hosts.map((host) => host.toLowerCase()))
}

/** Ascending. Each is a queue, so there are few. */
function readParkDelaysMs(env: EnvReader): [number, ...number[]] {
  const meaning = `how long a message rests whose endpoint cannot be tried now; at most ${MAX_PARK_DELAYS}`
  const delaysMs = env.durationsMs('WEBHOOK_PARK_DELAYS', '500ms,2s,10s,30s,2m,5m', meaning)
  if (delaysMs.length > MAX_PARK_DELAYS) env.reject(`WEBHOOK_PARK_DELAYS must be at most ${MAX_PARK_DELAYS} durations`)
  const [shortest = 0, ...longer] = delaysMs.toSorted((one, other) => one - other)
  return [shortest, ...longer]
}

/** Eight failures of the latest ten results, or four of the first five, open the breaker; see ADR 0007. */
function readBreaker(env: EnvReader, fullPlaces: number): BreakerRules {
  const results = { min: 1, max: 1000, unit: 'results' }
  const percent = { min: 1, max: 100, unit: 'percent' }
  return {
    window: env.integer('WEBHOOK_BREAKER_WINDOW', 10, "an endpoint's latest results that its breaker looks at", results),
    minResults: env.integer('WEBHOOK_BREAKER_MIN_RESULTS', 5, 'the breaker does not open on fewer', results),
    failureShare: env.integer('WEBHOOK_BREAKER_FAILURE_PERCENT', 80, 'failures among them that open it', percent) / 100,
    forgetAfterMs: 5 * 60_000,
    firstOpenMs: env.durationMs(
      'WEBHOOK_BREAKER_FIRST_OPEN',
      '5s',
      'how long the breaker stays open at first; then longer each time',
    ),
    maxOpenMs: env.durationMs('WEBHOOK_BREAKER_MAX_OPEN', '5m', 'how long the breaker stays open at most'),
    jitter: 0.2,
    fullPlaces,
  }
}

function readCaFile(env: EnvReader): string[] {
  const file = env.optional('WEBHOOK_CA_FILE', "authorities trusted beside the system's own", 'path of a PEM file')
  if (file === undefined) return []
  try {
    return [readFileSync(file, 'utf8')]
  } catch {
    env.reject('WEBHOOK_CA_FILE must be a file that can be read')
    return []
  }
}
