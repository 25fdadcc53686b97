/** A Python with the published Standard Webhooks library, for tests that verify signatures as merchants do. */
import { join } from 'node:path'
import { ensurePython, type PythonOptions, type PythonWithPackage } from '@gateway-infra/offline/python'
import { readPaths } from '@gateway-infra/system/paths'

/** From PyPI; MIT, without dependencies. */
const LIBRARY = { name: 'standardwebhooks', version: '1.1.0' }

/** Installs the library into `.local/python` once. */
export function ensureWebhooksPython(options: Partial<PythonOptions> = {}): Promise<PythonWithPackage> {
  return ensurePython(LIBRARY, { directory: join(readPaths(process.env).cacheDir, 'python'), ...options })
}
