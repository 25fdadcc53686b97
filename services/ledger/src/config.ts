import { createSecretKey } from 'node:crypto'
import {
  readBroker,
  readDatabase,
  readIndexStep,
  readJwksUrl,
  readOperatorTokens,
  readServer,
  readServiceToken,
  type EnvReader,
} from '@gateway/service-kit'
import { readSettlement } from './reconciliation/index.ts'

/** The default of `DATABASE`. */
export const DATABASE_NAME = 'ledger'

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
    /** The audit of operators; `undefined`: only the log shows what they did. */
    auditUrl: env.optionalServiceUrl(
      'AUTH_TOKEN_URL',
      'URL of auth-token, which keeps the audit of operators; when unset, only the log shows what they did',
    ),
    webhookDispatcherUrl: env.serviceUrl(
      'WEBHOOK_DISPATCHER_URL',
      'Address of webhook-dispatcher, whose attempts timelines show',
    ),
  }
}

/** The configuration of the rebuild (`rebuild.ts`). */
export function readRebuildConfig(env: EnvReader) {
  return { ...readIndexStep(env, DATABASE_NAME), ...readSource(env) }
}

/** What the service and its rebuild share: where payments come from and how payers are hidden. */
function readSource(env: EnvReader) {
  return {
    paymentStatusUrl: env.serviceUrl('PAYMENT_STATUS_URL', 'Address of payment-status'),
    /** Sent to other services. */
    serviceToken: readServiceToken(env),
    payerHashKey: createSecretKey(
      env.key('PAYER_HASH_KEY', "Key of the hash that stands for a payer's UPI address; rebuild the ledger after a change"),
    ),
  }
}
