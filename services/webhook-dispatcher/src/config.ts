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

export interface DispatcherConfig extends ServerConfig, DatabaseConfig, BrokerConfig {
  readonly jwksUrl: string
  readonly masterKeys: MasterKeys
  readonly operatorPort: number
  readonly operatorToken: string
  readonly retryDelaysMs: readonly number[]
  /** How long a message may stay aside whose endpoint cannot be tried now; the shortest first. */
  readonly parkDelaysMs: readonly number[]
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

export function readDispatcherConfig(env: EnvReader): DispatcherConfig {
  const server = readServer(env, 8105)
  const { environment } = server
  const retryDelaysMs = env.durationsMs('WEBHOOK_RETRY_DELAYS', '10s,1m,5m,15m,1h,3h,6h')
  if (retryDelaysMs.length > MAX_RETRIES) env.reject(`WEBHOOK_RETRY_DELAYS must be at most ${MAX_RETRIES} durations`)
  const allowedHosts = new Set(env.list('WEBHOOK_ALLOWED_HOSTS').map((host) => host.toLowerCase()))
  if (environment === 'production' && allowedHosts.size > 0) env.reject('WEBHOOK_ALLOWED_HOSTS is for development only')
  return {
    ...server,
    ...readDatabase(env, 'webhook_dispatcher'),
    ...readBroker(env),
    jwksUrl: env.serviceUrl('JWKS_URL', environment),
    masterKeys: readMasterKeys(env),
    operatorPort: env.port('OPERATOR_PORT', 8115),
    operatorToken: env.secret('OPERATOR_TOKEN'),
    retryDelaysMs,
    parkDelaysMs: env.durationsMs('WEBHOOK_PARK_DELAYS', '500ms,2s,10s,30s,2m,5m').toSorted((one, other) => one - other),
    allowedHosts,
    extraCa: readCaFile(env),
    timeoutMs: env.durationMs('WEBHOOK_TIMEOUT', '10s'),
    claimMarginMs: env.durationMs('WEBHOOK_CLAIM_MARGIN', '20s'),
    endpointConcurrency: env.integer('WEBHOOK_ENDPOINT_CONCURRENCY', 20, { min: 1, max: 1000 }),
    prefetch: env.integer('WEBHOOK_PREFETCH', 200, { min: 1, max: 5000 }),
    sweepOverdueMs: env.durationMs('SWEEP_OVERDUE', '2m'),
    sweepIntervalMs: env.durationMs('SWEEP_INTERVAL', '15s'),
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
