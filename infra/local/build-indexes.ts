import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { ROOT } from '@gateway-infra/system/paths'
import { NODE_ENVIRONMENT } from './service-process.ts'
import { databaseName, SERVICES } from './services.ts'
import { run } from '@gateway-infra/system/run'

export interface BuildIndexesOptions {
  readonly mongoUrl: string
  readonly databasePrefix: string
  readonly logFile: string
  /** The checkout whose services build their indexes; this one by default. */
  readonly root?: string
}

/** Runs the index step of every service in parallel; existing indexes are kept. Throws when one fails. */
export async function buildAllIndexes({ mongoUrl, databasePrefix, logFile, root = ROOT }: BuildIndexesOptions): Promise<void> {
  // With given engines, the log directory may not exist yet.
  await mkdir(dirname(logFile), { recursive: true })
  const steps = SERVICES.map(({ name }) => ({ name, script: join(root, 'services', name, 'src/build-indexes.ts') }))
  await Promise.all(
    steps
      .filter(({ script }) => existsSync(script))
      .map(async ({ name, script }) => {
        const env = {
          ...NODE_ENVIRONMENT,
          ENVIRONMENT: 'sandbox',
          MONGO_URL: mongoUrl,
          DATABASE: databaseName(databasePrefix, name),
        }
        await run(process.execPath, [script], { env, logFile })
      }),
  )
}
