import { randomUUID } from 'node:crypto'
import { Router } from 'express'
import { ulid } from 'ulid'
import { createMetrics, createSealer, masterKeyMetric, type Log, type Stoppable } from '@gateway/service-kit'
import { createApp, listen, requireBearer } from '@gateway/service-kit/http'
import { connectDatabase, waitForIndexes, type Database } from '@gateway/service-kit/mongo'
import type { AuthTokenConfig } from './config.ts'
import { internalRoutes } from './http/internal-routes.ts'
import { operatorRoutes } from './http/operator-routes.ts'
import { tokenRoutes } from './http/token-routes.ts'
import { mongoAuditLog } from './persistence/audit-log.ts'
import { indexesOf } from './persistence/indexes.ts'
import { mongoMerchants } from './persistence/merchants.ts'
import { mongoSigningKeys } from './persistence/signing-keys.ts'
import { createMerchantJwe } from './tokens/merchant-jwe.ts'
import { makeAudited } from './use-cases/audited.ts'
import { makeExchangeToken } from './use-cases/exchange-token.ts'
import { makeIssueToken } from './use-cases/issue-token.ts'
import { createKeyRing } from './use-cases/key-ring.ts'
import { makeListRevocations } from './use-cases/list-revocations.ts'
import { makeManageMerchants } from './use-cases/manage-merchants.ts'

export interface RunningAuthToken {
  readonly port: number
  readonly operatorPort: number
  readonly parts: readonly Stoppable[]
}

/** Starts the service: public and internal routes on one port, operator routes on another. */
export async function startAuthToken(
  config: AuthTokenConfig,
  { log, now = () => new Date() }: { log: Log; now?: () => Date },
): Promise<RunningAuthToken> {
  const database = await connectDatabase({ url: config.mongoUrl, name: config.database, log })
  const metrics = createMetrics('auth-token')
  masterKeyMetric(metrics, config.masterKeys)
  await waitForIndexes(database, indexesOf, { ...config, log, metrics })
  const routes = wire(config, database, { log, now })
  const shared = { log, metrics, checks: [database.check] }
  const bearer = requireBearer(config.internalApiToken)
  const guards = [
    Router().use(['/internal/v1/tokens', '/internal/v1/revocations'], bearer),
    Router().use('/operator', requireBearer(config.operatorToken)),
  ] as const
  const http = await listen(createApp({ ...shared, rawRoutes: [guards[0]], routes: routes.services }), config)
  const operatorApp = createApp({ ...shared, rawRoutes: [guards[1]], routes: routes.operators })
  const operators = await listen(operatorApp, { port: config.operatorPort, host: config.host })
  return {
    port: http.port,
    operatorPort: operators.port,
    parts: [{ ...operators, name: 'operator-http' }, http, { name: 'database', stop: () => database.close() }],
  }
}

/** Connects the parts; nothing runs yet. */
function wire(config: AuthTokenConfig, database: Database, { log, now }: { log: Log; now: () => Date }) {
  const { connection } = database
  const { environment, signingKeyRotateAfterMs: rotateAfterMs } = config
  const merchants = mongoMerchants(connection)
  const sealer = createSealer(config.masterKeys)
  const jwe = createMerchantJwe()
  const keyRing = createKeyRing({ signingKeys: mongoSigningKeys(connection), sealer, now, rotateAfterMs })
  const audited = makeAudited({ auditLog: mongoAuditLog(connection), log, now })
  const newMerchantId = () => `mer_${ulid(now().getTime())}`

  return {
    services: [
      tokenRoutes(makeIssueToken({ merchants, sealer, jwe, environment, now, newTokenId: randomUUID })),
      internalRoutes({
        exchangeToken: makeExchangeToken({ merchants, sealer, jwe, keyRing, environment, now }),
        listRevocations: makeListRevocations(merchants, now),
        keyRing,
      }),
    ],
    operators: [operatorRoutes(makeManageMerchants({ merchants, sealer, audited, environment, now, newMerchantId }))],
  }
}
