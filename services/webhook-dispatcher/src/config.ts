import { readFileSync } from 'node:fs'
import {
  readBroker,
  readDatabase,
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
  const server = readServer(env, 8105)
  const { environment } = server
  const retryDelaysMs = env.durationsMs('WEBHOOK_RETRY_DELAYS', '10s,1m,5m,15m,1h,3h,6h')
  if (retryDelaysMs.length > MAX_RETRIES) env.reject(`WEBHOOK_RETRY_DELAYS must be at most ${MAX_RETRIES} durations`)
  const allowedHosts = new Set(env.list('WEBHOOK_ALLOWED_HOSTS').map((host) => host.toLowerCase()))
  if (environment === 'production' && allowedHosts.size > 0) env.reject('WEBHOOK_ALLOWED_HOSTS is for development only')
  const endpointConcurrency = env.integer('WEBHOOK_ENDPOINT_CONCURRENCY', 20, { min: 1, max: 1000 })
  return {
    ...server,
    ...readDatabase(env, 'webhook_dispatcher'),
    ...readBroker(env),
    ...readOperatingConfig(env, environment),
    jwksUrl: env.serviceUrl('JWKS_URL', environment),
    masterKeys: readMasterKeys(env),
    operatorPort: env.port('OPERATOR_PORT', 8115),
    operatorToken: env.secret('OPERATOR_TOKEN'),
    retryDelaysMs,
    parkDelaysMs: readParkDelaysMs(env),
    breaker: readBreaker(env, endpointConcurrency),
    disableAfterMs: env.durationMs('WEBHOOK_DISABLE_AFTER', '5d'),
    allowedHosts,
    extraCa: readCaFile(env),
    timeoutMs: env.durationMs('WEBHOOK_TIMEOUT', '10s'),
    claimMarginMs: env.durationMs('WEBHOOK_CLAIM_MARGIN', '20s'),
    endpointConcurrency,
    prefetch: env.integer('WEBHOOK_PREFETCH', 200, { min: 1, max: 5000 }),
    sweepOverdueMs: env.durationMs('SWEEP_OVERDUE', '2m'),
    sweepIntervalMs: env.durationMs('SWEEP_INTERVAL', '15s'),
  }
}

/** Ascending. Each is a queue, so there are few. */
function readParkDelaysMs(env: EnvReader): [number, ...number[]] {
  const delaysMs = env.durationsMs('WEBHOOK_PARK_DELAYS', '500ms,2s,10s,30s,2m,5m')
  if (delaysMs.length > MAX_PARK_DELAYS) env.reject(`WEBHOOK_PARK_DELAYS must be at most ${MAX_PARK_DELAYS} durations`)
  const [shortest = 0, ...longer] = delaysMs.toSorted((one, other) => one - other)
  return [shortest, ...longer]
}

/** Eight failures of the latest ten results, or four of the first five, open the breaker; see ADR 0007. */
function readBreaker(env: EnvReader, fullPlaces: number): BreakerRules {
  return {
    window: env.integer('WEBHOOK_BREAKER_WINDOW', 10, { min: 1, max: 1000 }),
    minResults: env.integer('WEBHOOK_BREAKER_MIN_RESULTS', 5, { min: 1, max: 1000 }),
    failureShare: env.integer('WEBHOOK_BREAKER_FAILURE_PERCENT', 80, { min: 1, max: 100 }) / 100,
    forgetAfterMs: 5 * 60_000,
    firstOpenMs: env.durationMs('WEBHOOK_BREAKER_FIRST_OPEN', '5s'),
    maxOpenMs: env.durationMs('WEBHOOK_BREAKER_MAX_OPEN', '5m'),
    jitter: 0.2,
    fullPlaces,
  }
}

function readCaFile(env: EnvReader): string[] {
  const file = env.optional('WEBHOOK_CA_FILE')
  if (file === undefined) return []
  try {
    return [readFileSync(file, 'utf8')]
  } catch {
    env.reject('WEBHOOK_CA_FILE must be a file that can be read')
    return []
  }
}
