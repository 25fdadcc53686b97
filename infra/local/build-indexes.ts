import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { ROOT } from '@gateway-infra/system/paths'
import { databaseName, SERVICES } from './services.ts'
import { run } from '@gateway-infra/system/run'

export interface BuildIndexesOptions {
  readonly mongoUrl: string
  readonly databasePrefix: string
  readonly logFile: string
  /** The checkout whose services are meant; this one unless told. */
  readonly root?: string
}

/** Each service's own step, all of them at once: what is there already is left alone. Throws when one of them fails. */
export async function buildAllIndexes({ mongoUrl, databasePrefix, logFile, root = ROOT }: BuildIndexesOptions): Promise<void> {
  // With given backing services nothing has been logged before.
  await mkdir(dirname(logFile), { recursive: true })
  const steps = SERVICES.map(({ name }) => ({ name, script: join(root, 'services', name, 'src/build-indexes.ts') }))
  await Promise.all(
    steps
      .filter(({ script }) => existsSync(script))
      .map(async ({ name, script }) => {
        const env = { ENVIRONMENT: 'sandbox', MONGO_URL: mongoUrl, DATABASE: databaseName(databasePrefix, name) }
        await run(process.execPath, [script], { env, logFile })
      }),
  )
}
