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
  readServiceToken,
  type EnvReader,
} from '@gateway/service-kit'
import type { EndpointPorts } from './sending/index.ts'
import type { BreakerRules } from './throttling/index.ts'

/** The default of `DATABASE`. */
export const DATABASE_NAME = 'webhook_dispatcher'

const MAX_RETRIES = 20
const MAX_PARK_DELAYS = 10
const MAX_PORT = 65_535
const DAY_MS = 24 * 60 * 60 * 1000

export type DispatcherConfig = ReturnType<typeof readDispatcherConfig>

export function readDispatcherConfig(env: EnvReader) {
  const inFlight = 'In-flight limit of one endpoint, per replica'
  const endpointConcurrency = env.integer('WEBHOOK_ENDPOINT_CONCURRENCY', 20, inFlight, { min: 1, max: 1000 })
  const callers = readCallers(env, { optional: true })
  return {
    ...readServer(env, 8105),
    ...readDatabase(env, DATABASE_NAME),
    ...readBroker(env),
    ...readAudit(env),
    retentionMs: readRetentionMs(env),
    jwksUrl: readJwksUrl(env),
    /** Empty in a deployment without a ledger. */
    callers,
    masterKeys: readMasterKeys(env),
    operatorPort: env.port('OPERATOR_PORT', 8115, 'Port of the operators API'),
    operators: readOperatorTokens(env, tokensOf(callers)),
    retryDelaysMs: readRetryDelaysMs(env),
    parkDelaysMs: readParkDelaysMs(env),
    breaker: readBreaker(env, endpointConcurrency),
    disableAfterMs: env.durationMs('WEBHOOK_DISABLE_AFTER', '5d', 'An endpoint that acknowledges nothing this long is disabled'),
    allowedHosts: readAllowedHosts(env),
    endpointPorts: readEndpointPorts(env),
    dnsServers: readDnsServers(env),
    extraCa: readCaFile(env),
    timeoutMs: env.durationMs('WEBHOOK_TIMEOUT', '10s', 'Deadline of one exchange, from name lookup to the end of the body'),
    claimMarginMs: env.durationMs('WEBHOOK_CLAIM_MARGIN', '20s', 'Time to store a claim and record its attempt, half for each'),
    endpointConcurrency,
    prefetch: env.integer('WEBHOOK_PREFETCH', 400, 'Messages that each consumer holds at once', { min: 1, max: 5000 }),
    sweepOverdueMs: env.durationMs('SWEEP_OVERDUE', '2m', 'A delivery whose attempt is overdue by this is published again'),
    sweepIntervalMs: env.durationMs('SWEEP_INTERVAL', '15s', 'How often the sweep looks for overdue deliveries'),
    queueHeartbeatMs: env.durationMs('WEBHOOK_QUEUE_HEARTBEAT', '30s', 'How often a replica records which queues it uses'),
    queueRestMs: env.durationMs('WEBHOOK_QUEUE_REST', '10m', 'How long an unused queue is kept, in addition to its own delay'),
  }
}

/** The services behind the two audits: of deliveries, and of what merchants and operators do. */
function readAudit(env: EnvReader) {
  const auditUrl = env.optionalServiceUrl('PAYMENT_STATUS_URL', 'URL of payment-status, for the audit; no audit when unset')
  const meaning =
    'URL of auth-token, which keeps the audit of merchants and operators; when unset, only the log shows what they did'
  const authTokenUrl = env.optionalServiceUrl('AUTH_TOKEN_URL', meaning)
  const token = auditUrl === undefined && authTokenUrl === undefined ? '' : readServiceToken(env)
  return {
    paymentStatus: auditUrl === undefined ? undefined : { url: auditUrl, token },
    auditLog: authTokenUrl === undefined ? undefined : { url: authTokenUrl, token },
    auditGraceMs: env.durationMs('WEBHOOK_AUDIT_GRACE', '1m', 'The audit reports no status change that is younger than this'),
  }
}

/** `DELIVERY_RETENTION_DAYS`, which becomes an option of an index. */
export function readRetentionMs(env: EnvReader): number {
  const limits = { min: 1, max: 3650, unit: 'days' }
  return env.integer('DELIVERY_RETENTION_DAYS', 30, 'How long a finished delivery is kept', limits) * DAY_MS
}

function readRetryDelaysMs(env: EnvReader): readonly number[] {
  const meaning = `Delays between the attempts of a delivery, which is dead when the attempt after the last delay fails; at most ${MAX_RETRIES}`
  const delaysMs = env.durationsMs('WEBHOOK_RETRY_DELAYS', '10s,1m,5m,15m,1h,3h,6h', meaning)
  if (delaysMs.length > MAX_RETRIES) env.reject(`WEBHOOK_RETRY_DELAYS must be at most ${MAX_RETRIES} durations`)
  return delaysMs
}

function readAllowedHosts(env: EnvReader): ReadonlySet<string> {
  const hosts = env.sandboxList('WEBHOOK_ALLOWED_HOSTS', 'names or addresses', 'Hosts of endpoints that need not be public')
  return new Set(hosts.map((host) => host.toLowerCase()))
}

/** Only port 443 by default, so that a merchant cannot use webhooks to reach other services on public hosts. */
function readEndpointPorts(env: EnvReader): EndpointPorts {
  const type = 'ports, separated by commas, or `any`'
  const meaning = 'Ports that webhook URLs may have; also allow other ports than 443 in the network policy'
  const text = env.text('WEBHOOK_PORTS', '443', meaning, type)
  if (text.trim() === 'any') return 'any'
  const ports = text.split(',').map((part) => (/^\s*[1-9]\d{0,4}\s*$/u.test(part) ? Number(part) : NaN))
  if (!ports.every((port) => port <= MAX_PORT)) env.reject('WEBHOOK_PORTS must be a list of ports such as 443,8443, or `any`')
  return new Set(ports)
}

/** Merchants choose the names, so an organisation may want to resolve them elsewhere than its own names. */
function readDnsServers(env: EnvReader): readonly string[] | undefined {
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
function readParkDelaysMs(env: EnvReader): readonly [number, ...number[]] {
  const meaning = `How long webhooks are parked whose endpoint is failing or at its limit; at most ${MAX_PARK_DELAYS}`
  const delaysMs = env.durationsMs('WEBHOOK_PARK_DELAYS', '500ms,2s,10s,30s,2m,5m', meaning)
  if (delaysMs.length > MAX_PARK_DELAYS) env.reject(`WEBHOOK_PARK_DELAYS must be at most ${MAX_PARK_DELAYS} durations`)
  const [shortest = 0, ...longer] = delaysMs.toSorted((one, other) => one - other)
  return [shortest, ...longer]
}

/** By default eight failures of the latest ten results, or four of the first five, open the breaker (docs/adr/0007). */
function readBreaker(env: EnvReader, fullSlots: number): BreakerRules {
  const results = { min: 1, max: 1000, unit: 'results' }
  return {
    window: env.integer('WEBHOOK_BREAKER_WINDOW', 10, 'Latest results of an endpoint that its circuit breaker looks at', results),
    minResults: env.integer('WEBHOOK_BREAKER_MIN_RESULTS', 5, 'Fewest results on which the circuit breaker can open', results),
    failureShare: 0.8,
    forgetAfterMs: 5 * 60_000,
    firstOpenMs: env.durationMs('WEBHOOK_BREAKER_FIRST_OPEN', '5s', 'First open time of a breaker; doubled by each failed probe'),
    maxOpenMs: env.durationMs('WEBHOOK_BREAKER_MAX_OPEN', '5m', 'How long the circuit breaker stays open at most'),
    jitter: 0.2,
    fullSlots,
  }
}

function readCaFile(env: EnvReader): readonly string[] {
  const meaning = "Certificate authorities trusted in addition to the system's"
  const file = env.optional('WEBHOOK_CA_FILE', meaning, 'path of a PEM file')
  if (file === undefined) return []
  try {
    return [readFileSync(file, 'utf8')]
  } catch {
    env.reject('WEBHOOK_CA_FILE must be a file that can be read')
    return []
  }
}
