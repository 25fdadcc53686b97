import type { Progress } from '@gateway-infra/system/progress'
import { ensureGoProgram } from './go-program.ts'

/** Path of the FerretDB binary (MongoDB's protocol on PostgreSQL). */
export function ensureFerretDb(cacheDir: string, progress: Progress): Promise<string> {
  return ensureGoProgram(
    {
      title: 'FerretDB',
      name: 'ferretdb',
      version: 'v2.7.0',
      package: 'github.com/FerretDB/FerretDB/v2/cmd/ferretdb',
      takes: '1 to 3 minutes',
    },
    cacheDir,
    progress,
  )
}
