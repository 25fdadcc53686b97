import { createSecretKey, type KeyObject } from 'node:crypto'
import { istDayStart } from '@gateway/contracts'
import {
  readBroker,
  readDatabase,
  readIndexStep,
  readJwksUrl,
  readOperatorTokens,
  readServer,
  readServiceToken,
  readSharedToken,
  type EnvReader,
} from '@gateway/service-kit'
import type { SettlementRules } from './domain/settlement-rules.ts'

/** The default of `DATABASE`. */
export const DATABASE_NAME = 'ledger'

/** What the service and its rebuild share: where payments come from and how payers are hidden. */
export interface SourceConfig {
  readonly paymentStatusUrl: string
  /** Sent to other services. */
  readonly serviceToken: string
  readonly payerHashKey: KeyObject
}

export type Config = ReturnType<typeof readLedgerConfig>

/** The configuration of `ledger`, read from its environment. */
export function readLedgerConfig(env: EnvReader) {
  return {
    ...readServer(env, 8106),
    operatorPort: env.port('OPERATOR_PORT', 8116, 'Port of the operators API'),
    operators: readOperatorTokens(env),
    ...readSettlement(env),
    ...readDatabase(env, DATABASE_NAME),
    ...readBroker(env),
    ...readSource(env),
    jwksUrl: readJwksUrl(env),
    /** During an upgrade, internal tokens for all services are valid here. */
    acceptsAnyService: readSharedToken(env) !== undefined,
    auditLog: readAuditLog(env),
    webhookDispatcherUrl: env.serviceUrl(
      'WEBHOOK_DISPATCHER_URL',
      'Address of webhook-dispatcher, whose attempts timelines show',
    ),
  }
}

/** Where operators' calls are written down; `undefined`: only the log shows them. */
function readAuditLog(env: EnvReader): { readonly url: string; readonly token: string } | undefined {
  const url = env.optionalServiceUrl(
    'AUTH_TOKEN_URL',
    'URL of auth-token, which keeps the audit of operators; when unset, only the log shows what they did',
  )
  return url === undefined ? undefined : { url, token: readServiceToken(env) }
}

/** Settlement files, and how long the bank may take (docs/operations/reconciliation.md). */
export interface SettlementConfig {
  readonly maxFileBytes: number
  readonly rules: SettlementRules
}

const MIB = 1024 * 1024

function readSettlement(env: EnvReader): SettlementConfig {
  const days = { min: 0, max: 60, unit: 'days' }
  const holidays = env.list('SETTLEMENT_HOLIDAYS', 'days such as 2026-10-02', 'Days on which banks are closed, beside weekends')
  if (!holidays.every((day) => istDayStart(day))) env.reject('SETTLEMENT_HOLIDAYS must be days such as 2026-10-02')
  const since = env.optional(
    'SETTLEMENT_SINCE',
    'The first day whose payments are expected in settlement files; every day when unset',
    'day such as 2026-10-02',
  )
  if (since !== undefined && !istDayStart(since)) env.reject('SETTLEMENT_SINCE must be a day such as 2026-10-02')
  return {
    maxFileBytes:
      env.integer('SETTLEMENT_FILE_MAX_MB', 512, 'Largest settlement file', { min: 1, max: 4096, unit: 'mebibytes' }) * MIB,
    rules: {
      captureBusinessDays: env.integer('SETTLEMENT_CAPTURE_DAYS', 2, 'Business days until the bank has settled a payment', days),
      refundDays: env.integer('SETTLEMENT_REFUND_DAYS', 7, 'Days until the bank has settled a refund', days),
      reversalDays: env.integer('SETTLEMENT_REVERSAL_DAYS', 5, 'Days until the bank has settled a reversal', days),
      holidays: new Set(holidays),
      since,
    },
  }
}

/** The configuration of the rebuild (`rebuild.ts`). */
export function readRebuildConfig(env: EnvReader) {
  return { ...readIndexStep(env, DATABASE_NAME), ...readSource(env) }
}

function readSource(env: EnvReader): SourceConfig {
  return {
    paymentStatusUrl: env.serviceUrl('PAYMENT_STATUS_URL', 'Address of payment-status'),
    serviceToken: readServiceToken(env),
    payerHashKey: createSecretKey(
      env.key('PAYER_HASH_KEY', "Key of the hash that stands for a payer's UPI address; rebuild the ledger after a change"),
    ),
  }
}
