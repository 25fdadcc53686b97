/** Values that no service may start with in production. */
import { randomBytes } from 'node:crypto'
import { callbackSecret, GOOD, randomToken } from '../production.ts'

const base64 = (bytes: Buffer) => bytes.toString('base64')
const counted = Buffer.from(Array.from({ length: 32 }, (_, index) => index))

export type Unsafe = readonly [why: string, value: string]

const PLAIN_URL: readonly Unsafe[] = [
  ['plain HTTP', 'http://plain.example'],
  ['no address', 'plain.example'],
]
const SECRET: readonly Unsafe[] = [
  ['short', 'hunter2-hunter2-hunter2'],
  ['one character', '0'.repeat(40)],
  ['a placeholder', 'change-me-change-me-change-me-0123456789'],
  ['named after its purpose', 'my-internal-secret-token-for-all-services'],
  ['a published example', 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
]
const KEY: readonly Unsafe[] = [
  ['short', base64(randomBytes(16))],
  ['all zero', base64(Buffer.alloc(32))],
  ['counted up', base64(counted)],
  ['a text', base64(Buffer.from('this is our production link key!'))],
]
const DURATION: readonly Unsafe[] = [
  ['nothing', '0s'],
  ['without a unit', '10'],
  ['too long', '99999d'],
]
const databaseUrl = (login: string) => `mongodb://${login}@db.example/`
const brokerUrl = (login: string) => `amqps://${login}@broker.example/`

/** By variable. */
export const UNSAFE: Readonly<Record<string, readonly Unsafe[]>> = {
  ENVIRONMENT: [
    ['unknown', 'staging'],
    ['in capitals', 'Production'],
  ],
  MONGO_URL: [
    ['another protocol', 'https://db.example'],
    ['the name as password', databaseUrl('gateway:gateway')],
    ['a placeholder as password', databaseUrl('gateway:changeme')],
    ['a password named for what it is', databaseUrl('gateway:password123')],
    ['no login', 'mongodb://db.example/?tls=true'],
    ['no TLS', `mongodb://gateway:${randomToken()}@db.example/`],
  ],
  AMQP_URL: [
    ['another protocol', 'http://broker.example'],
    ["the broker's own first user", brokerUrl('guest:guest')],
    ['a placeholder as password', brokerUrl('gateway:change-me')],
    ['no login', 'amqps://broker.example/'],
    ['no TLS', `amqp://gateway:${randomToken()}@broker.example/`],
    ['a good one and a bad one', `${brokerUrl(`gateway:${randomToken()}`)},${brokerUrl('guest:guest')}`],
  ],
  SERVICE_TOKEN: SECRET,
  CALLER_TOKENS: [
    ...SECRET.map(([why, value]): Unsafe => [why, `checkout:${value}`]),
    ['without a name', randomToken()],
    ['of no service', `cart:${randomToken()}`],
    ['three for a name', [1, 2, 3].map(() => `checkout:${randomToken()}`).join()],
  ],
  OPERATOR_TOKEN: [...SECRET, ['the token of a service', String(GOOD['SERVICE_TOKEN'])]],
  OPERATOR_TOKENS: [
    ...SECRET.map(([why, value]): Unsafe => [why, `asha:${value}`]),
    ['without a name', randomToken()],
    ['of merchants', `merchant:${randomToken()}`],
    ['three for a name', [1, 2, 3].map(() => `asha:${randomToken()}`).join()],
  ],
  NETWORK_API_KEY: [...SECRET, ['the token of the service', String(GOOD['SERVICE_TOKEN'])]],
  NETWORK_CALLBACK_SECRET: [
    ['short', 'whsec_c2hvcnQ='],
    ['all zero', callbackSecret(Buffer.alloc(32))],
    ['counted up', callbackSecret(counted)],
    ['a published example', 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
    ['a good one and a bad one', `${callbackSecret()},${callbackSecret(Buffer.alloc(32))}`],
    ['three', [callbackSecret(), callbackSecret(), callbackSecret()].join()],
  ],
  CHECKOUT_LINK_KEY: [
    ...KEY,
    ['three', [1, 2, 3].map(() => base64(randomBytes(32))).join()],
    ['a good one and a bad one', `${base64(randomBytes(32))},${base64(Buffer.alloc(32))}`],
    ['a good one and nothing', `${base64(randomBytes(32))},`],
    ['the same twice', [GOOD['CHECKOUT_LINK_KEY'], GOOD['CHECKOUT_LINK_KEY']].join()],
  ],
  PAYER_HASH_KEY: KEY,
  MASTER_KEYS: [
    ...KEY.map(([why, value]): Unsafe => [why, `k1:${value}`]),
    ['a good one and a bad one', `k2:${base64(randomBytes(32))},k1:${base64(Buffer.alloc(32))}`],
    ['without its id', base64(randomBytes(32))],
  ],
  JWKS_URL: PLAIN_URL,
  PUBLIC_URL: PLAIN_URL,
  NETWORK_URL: PLAIN_URL,
  AUTH_TOKEN_URL: PLAIN_URL,
  ORDER_API_URL: PLAIN_URL,
  PAYMENT_STATUS_URL: PLAIN_URL,
  CHECKOUT_URL: PLAIN_URL,
  WEBHOOK_DISPATCHER_URL: PLAIN_URL,
  LEDGER_URL: PLAIN_URL,
  OTEL_EXPORTER_OTLP_ENDPOINT: [['no address', 'collector.example:4318']],
  NETWORK_SIMULATOR_URL: [['set at all', 'https://simulator.example']],
  WEBHOOK_PORTS: [
    ['no port', 'https'],
    ['too high', '65536'],
  ],
  WEBHOOK_ALLOWED_HOSTS: [['set at all', 'merchant.internal']],
  WEBHOOK_CA_FILE: [['no file', '/there/is/none.pem']],
  TRUST_PROXY: [
    ['everybody', '0.0.0.0/0'],
    ['everybody, as a word', 'true'],
  ],
  SHUTDOWN_DELAY: [
    ['without a unit', '5'],
    ['too long', '10m'],
  ],
  LOG_LEVEL: [['unknown', 'silly']],
  DATABASE: [['of another form', 'a.b$c']],
  PORT: [['no port', '70000']],
  OPERATOR_PORT: [['no port', '-1']],
  METRICS_PORT: [['no port', '70000']],
  UPSTREAM_TIMEOUT: DURATION,
  ENQUIRY_GIVE_UP: DURATION,
  ENQUIRY_GRACE: DURATION,
  ENQUIRY_DELAYS: [...DURATION, ['one of them nothing', '10s,0s']],
  ORDER_COMPARISON_AFTER: DURATION,
  UPI_ENQUIRY_DELAYS: [...DURATION, ['one of them nothing', '90s,0s']],
  FINAL_ENQUIRY_DELAYS: DURATION,
  REFUND_DELAYS: DURATION,
  REVERSAL_DELAYS: DURATION,
  SIGNING_KEY_ROTATE_AFTER: [...DURATION, ['too often', '1s']],
  WEBHOOK_RETRY_DELAYS: DURATION,
  WEBHOOK_PARK_DELAYS: DURATION,
  WEBHOOK_TIMEOUT: DURATION,
  WEBHOOK_DISABLE_AFTER: DURATION,
  SWEEP_INTERVAL: DURATION,
  DELIVERY_RETENTION_DAYS: [['nothing', '0']],
  QUEUE_PARTITIONS: [
    ['no power of two', '3'],
    ['too many', '128'],
  ],
  WEBHOOK_PREFETCH: [['no limit', '0']],
  WEBHOOK_ENDPOINT_CONCURRENCY: [['no limit', '0']],
  ORDER_MAX_AMOUNT: [['no amount', '1e9']],
  UPI_MAX_AMOUNT: [['no amount', 'all']],
}
