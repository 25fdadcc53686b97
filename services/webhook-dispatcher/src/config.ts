import { Resolver } from 'node:dns'
import { readFileSync } from 'node:fs'
import {
  readBroker,
  readCallers,
  readDatabase,
  readJwksUrl,
  readMasterKeys,
  readOperatorTokens,
  tokensOf,
  readServer,
  readSharedToken,
  type BrokerConfig,
  type CallerTokens,
  type DatabaseConfig,
  type EnvReader,
  type MasterKeys,
  type OperatorTokens,
  type ServerConfig,
} from '@gateway/service-kit'
import type { BreakerRules } from './admission/circuit-breaker.ts'
import type { EndpointPorts } from './clients/webhook/address-guard.ts'
import { readOperatingConfig, type OperatingConfig } from './operating-config.ts'

/** The default of `DATABASE`. */
export const DATABASE_NAME = 'webhook_dispatcher'

export interface DispatcherConfig extends ServerConfig, DatabaseConfig, BrokerConfig, OperatingConfig {
  readonly jwksUrl: string
  /** During an upgrade, internal tokens for all services are valid here. */
  readonly acceptsAnyService: boolean
  /** Empty in a deployment without a ledger. */
  readonly callers: CallerTokens
  readonly masterKeys: MasterKeys
  readonly operatorPort: number
  readonly operators: OperatorTokens
  readonly retryDelaysMs: readonly number[]
  /** Delays of the delay queue, the shortest first. */
  readonly parkDelaysMs: readonly [number, ...number[]]
  readonly breaker: BreakerRules
  /** An endpoint that acknowledges nothing for this long is disabled. */
  readonly disableAfterMs: number
  /** Hosts that need not be public and may have any port, for development. A plain-HTTP URL is refused in any case. */
  readonly allowedHosts: ReadonlySet<string>
  /** Ports that the URLs of other hosts may have. */
  readonly endpointPorts: EndpointPorts
  /** DNS servers for the hosts of endpoints; `undefined` for those of the system. */
  readonly dnsServers: readonly string[] | undefined
  /** PEM of certificate authorities trusted in addition to the system's. */
  readonly extraCa: readonly string[]
  /** Deadline of one exchange with a merchant's server, from name lookup to the end of the body. */
  readonly timeoutMs: number
  /** How much longer than the longest exchange a claim holds: one half for storing the claim, one half for recording the attempt. */
  readonly claimMarginMs: number
  /** In-flight limit of one endpoint, per replica. */
  readonly endpointConcurrency: number
  /** Messages that each consumer holds at once. */
  readonly prefetch: number
  /** A delivery whose attempt is overdue by this is published again. */
  readonly sweepOverdueMs: number
  readonly sweepIntervalMs: number
}

const MAX_RETRIES = 20
const MAX_PARK_DELAYS = 10
const MAX_PORT = 65_535

export function readDispatcherConfig(env: EnvReader): DispatcherConfig {
  const endpointConcurrency = env.integer('WEBHOOK_ENDPOINT_CONCURRENCY', 20, 'In-flight limit of one endpoint, per replica', {
    min: 1,
    max: 1000,
  })
  const callers = readCallers(env, { optional: true })
  return {
    ...readServer(env, 8105),
    ...readDatabase(env, DATABASE_NAME),
    ...readBroker(env),
    ...readOperatingConfig(env),
    jwksUrl: readJwksUrl(env),
    acceptsAnyService: readSharedToken(env) !== undefined,
    callers,
    masterKeys: readMasterKeys(env),
    operatorPort: env.port('OPERATOR_PORT', 8115, 'Port of the operators API'),
    operators: readOperatorTokens(env, tokensOf(callers)),
    retryDelaysMs: readRetryDelaysMs(env),
    parkDelaysMs: readParkDelaysMs(env),
    breaker: readBreaker(env, endpointConcurrency),
    disableAfterMs: env.durationMs(
      'WEBHOOK_DISABLE_AFTER',
      '5d',
      'An endpoint that acknowledges nothing for this long is disabled',
    ),
    allowedHosts: readAllowedHosts(env),
    endpointPorts: readEndpointPorts(env),
    dnsServers: readDnsServers(env),
    extraCa: readCaFile(env),
    timeoutMs: env.durationMs(
      'WEBHOOK_TIMEOUT',
      '10s',
      "Deadline of one exchange with a merchant's server, from name lookup to the end of the body",
    ),
    claimMarginMs: env.durationMs(
      'WEBHOOK_CLAIM_MARGIN',
      '20s',
      'How long storing a claim and recording its attempt may take beside the exchange; half of it for each',
    ),
    endpointConcurrency,
    prefetch: env.integer('WEBHOOK_PREFETCH', 400, 'Messages that each consumer of a replica holds at once', {
      min: 1,
      max: 5000,
    }),
    sweepOverdueMs: env.durationMs('SWEEP_OVERDUE', '2m', 'A delivery whose attempt is overdue by this is published again'),
    sweepIntervalMs: env.durationMs('SWEEP_INTERVAL', '15s', 'How often the sweep looks for overdue deliveries'),
  }
}

function readRetryDelaysMs(env: EnvReader): number[] {
  const meaning = `Delays between the attempts of a delivery, which is dead when the attempt after the last delay fails; at most ${MAX_RETRIES}`
  const delaysMs = env.durationsMs('WEBHOOK_RETRY_DELAYS', '10s,1m,5m,15m,1h,3h,6h', meaning)
  if (delaysMs.length > MAX_RETRIES) env.reject(`WEBHOOK_RETRY_DELAYS must be at most ${MAX_RETRIES} durations`)
  return delaysMs
}

function readAllowedHosts(env: EnvReader): Set<string> {
  const hosts = env.sandboxList('WEBHOOK_ALLOWED_HOSTS', 'names or addresses', 'Hosts of endpoints that need not be public')
  return new Set(hosts.map((host) => host.toLowerCase()))
}

/** Only port 443 by default, so that a merchant cannot use webhooks to reach other services on public hosts. */
function readEndpointPorts(env: EnvReader): EndpointPorts {
  const type = 'ports, separated by commas, or `any`'
  const text = env.text(
    'WEBHOOK_PORTS',
    '443',
    'Ports that webhook URLs may have; also allow other ports than 443 in the network policy',
    type,
  )
  if (text.trim() === 'any') return 'any'
  const ports = text.split(',').map((part) => (/^\s*[1-9]\d{0,4}\s*$/u.test(part) ? Number(part) : NaN))
  if (!ports.every((port) => port <= MAX_PORT)) env.reject('WEBHOOK_PORTS must be a list of ports such as 443,8443, or `any`')
  return new Set(ports)
}

/** Merchants choose the names, so an organisation may want to resolve them elsewhere than its own names. */
function readDnsServers(env: EnvReader): string[] | undefined {
  const meaning = "DNS servers that resolve the hosts of endpoints; the system's when unset"
  const servers = env.list('WEBHOOK_DNS_SERVERS', 'addresses, with a port if it is not 53', meaning)
  try {
    new Resolver().setServers(servers)
  } catch {
    env.reject('WEBHOOK_DNS_SERVERS must be addresses such as 192.0.2.53 or 192.0.2.53:5353')
  }
  return servers.length === 0 ? undefined : servers
}

/** Ascending. Each is a queue on the broker, so there are few. */
function readParkDelaysMs(env: EnvReader): [number, ...number[]] {
  const meaning = `Delays of the delay queue, for webhooks whose endpoint is failing or at its limit; at most ${MAX_PARK_DELAYS}`
  const delaysMs = env.durationsMs('WEBHOOK_PARK_DELAYS', '500ms,2s,10s,30s,2m,5m', meaning)
  if (delaysMs.length > MAX_PARK_DELAYS) env.reject(`WEBHOOK_PARK_DELAYS must be at most ${MAX_PARK_DELAYS} durations`)
  const [shortest = 0, ...longer] = delaysMs.toSorted((one, other) => one - other)
  return [shortest, ...longer]
}

/** By default eight failures of the latest ten results, or four of the first five, open the breaker (docs/adr/0007). */
function readBreaker(env: EnvReader, fullSlots: number): BreakerRules {
  const results = { min: 1, max: 1000, unit: 'results' }
  const percent = { min: 1, max: 100, unit: 'percent' }
  return {
    window: env.integer('WEBHOOK_BREAKER_WINDOW', 10, 'Latest results of an endpoint that its circuit breaker looks at', results),
    minResults: env.integer('WEBHOOK_BREAKER_MIN_RESULTS', 5, 'Fewest results on which the circuit breaker can open', results),
    failureShare:
      env.integer(
        'WEBHOOK_BREAKER_FAILURE_PERCENT',
        80,
        'Share of failures among the latest results that opens the circuit breaker',
        percent,
      ) / 100,
    forgetAfterMs: 5 * 60_000,
    firstOpenMs: env.durationMs(
      'WEBHOOK_BREAKER_FIRST_OPEN',
      '5s',
      'How long the circuit breaker stays open the first time; doubled after each failed probe',
    ),
    maxOpenMs: env.durationMs('WEBHOOK_BREAKER_MAX_OPEN', '5m', 'How long the circuit breaker stays open at most'),
    jitter: 0.2,
    fullSlots,
  }
}

function readCaFile(env: EnvReader): string[] {
  const file = env.optional(
    'WEBHOOK_CA_FILE',
    "Certificate authorities trusted in addition to the system's",
    'path of a PEM file',
  )
  if (file === undefined) return []
  try {
    return [readFileSync(file, 'utf8')]
  } catch {
    env.reject('WEBHOOK_CA_FILE must be a file that can be read')
    return []
  }
}
