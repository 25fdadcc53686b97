import { Router } from 'express'
import { ulid } from 'ulid'
import { createLocalJWKSet, type JWTVerifyGetKey } from 'jose'
import { INTERNAL_CALLERS } from '@gateway/contracts'
import { createMetrics, createSealer, makeAudited, masterKeyMetric, type Log, type Stoppable } from '@gateway/service-kit'
import { createApp, listen, makeRequireCaller, requireOperator } from '@gateway/service-kit/http'
import { createInternalTokenVerifier, makeIdentify, type VerifyInternalToken } from '@gateway/service-kit/merchant-auth'
import { connectDatabase, waitForIndexes, type Database } from '@gateway/service-kit/mongo'
import type { AuthTokenConfig } from './config.ts'
import { internalRoutes } from './http/internal-routes.ts'
import { auditRoutes, internalAuditRoutes, operatorAuditRoutes } from './http/audit-routes.ts'
import { credentialRoutes, tokenRoutes } from './http/merchant-routes.ts'
import { operatorRoutes } from './http/operator-routes.ts'
import { mongoAuditLog } from './persistence/audit-log.ts'
import { indexesOf } from './persistence/indexes.ts'
import { mongoCredentialUses, mongoMerchants } from './persistence/merchants.ts'
import { mongoSigningKeys } from './persistence/signing-keys.ts'
import { createMerchantJwe } from './tokens/merchant-jwe.ts'
import { makeChangeCredentials } from './use-cases/change-credentials.ts'
import { startCountingRefusals } from './use-cases/count-refusals.ts'
import { createKeyRing, type KeyRing } from './use-cases/key-ring.ts'
import { makeListRevocations } from './use-cases/list-revocations.ts'
import { makeManageCredentials } from './use-cases/manage-credentials.ts'
import { makeManageMerchants } from './use-cases/manage-merchants.ts'
import { makeExchangeToken, makeIssueToken } from './use-cases/merchant-tokens.ts'
import { makeAuditPages } from './use-cases/read-audit.ts'
import { startNotingUses } from './use-cases/note-use.ts'

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
  const requireCaller = makeRequireCaller(config.callers)
  const { tokens, revocations, audit } = INTERNAL_CALLERS['auth-token']
  const guards = [
    Router()
      .use('/internal/v1/tokens', requireCaller(tokens))
      .use('/internal/v1/revocations', requireCaller(revocations))
      .use('/internal/v1/audit', requireCaller(audit)),
    Router().use('/operator', requireOperator(config.operators)),
  ] as const
  const http = await listen(createApp({ ...shared, rawRoutes: [guards[0]], routes: routes.services }), config)
  const operatorApp = createApp({ ...shared, rawRoutes: [guards[1]], routes: routes.operators })
  const operators = await listen(operatorApp, { port: config.operatorPort, host: config.host })
  return {
    port: http.port,
    operatorPort: operators.port,
    parts: [{ ...operators, name: 'operator-http' }, http, ...routes.workers, { name: 'database', stop: () => database.close() }],
  }
}

/** Connects the parts. */
function wire(config: AuthTokenConfig, database: Database, { log, now }: { log: Log; now: () => Date }) {
  const { connection } = database
  const { environment, signingKeyRotateAfterMs: rotateAfterMs } = config
  const merchants = mongoMerchants(connection)
  const sealer = createSealer(config.masterKeys)
  const keyRing = createKeyRing({ signingKeys: mongoSigningKeys(connection), sealer, now, rotateAfterMs })
  const auditLog = mongoAuditLog(connection)
  const { noteFailure, appendRefusal, worker: refusalsWorker } = startCountingRefusals({ auditLog, log, now })
  const auditPages = makeAuditPages({ auditLog, appendRefusal, now })
  const audited = makeAudited({ append: (entry) => auditPages.append(entry), log })
  const uses = mongoCredentialUses(connection)
  const { noteUse, worker: usesWorker } = startNotingUses({ uses, log, now })
  const tokenParts = { merchants, sealer, jwe: createMerchantJwe(), environment, noteFailure, now }
  const change = makeChangeCredentials({ merchants, sealer, environment, audited, now })
  const newMerchantId = () => `mer_${ulid(now().getTime())}`
  const identify = makeIdentify(ownVerifier(config, keyRing, now))
  return {
    services: [
      tokenRoutes(makeIssueToken(tokenParts)),
      internalRoutes({
        exchangeToken: makeExchangeToken(tokenParts, keyRing, noteUse),
        listRevocations: makeListRevocations(merchants, now),
        keyRing,
      }),
      credentialRoutes(identify, makeManageCredentials({ merchants, uses, change, now })),
      internalAuditRoutes(auditPages),
      auditRoutes(identify, auditPages),
    ],
    operators: [
      operatorAuditRoutes(auditPages),
      operatorRoutes(makeManageMerchants({ merchants, change, audited, now, newMerchantId }), change),
    ],
    workers: [usesWorker, refusalsWorker],
  }
}

/** Verifies internal tokens with this service's own keys, without a call to itself. */
function ownVerifier({ environment }: AuthTokenConfig, keyRing: KeyRing, now: () => Date): VerifyInternalToken {
  const keys: JWTVerifyGetKey = async (header, token) =>
    createLocalJWKSet({ keys: [...(await keyRing.jwks()).keys] })(header, token)
  return createInternalTokenVerifier({ environment, audience: 'auth-token', now, keys })
}
