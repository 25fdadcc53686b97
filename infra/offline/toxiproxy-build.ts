import { ensureGoProgram } from './backing/go-program.ts'
import type { Progress } from '@gateway-infra/system/progress'

/** Path of the Toxiproxy server's binary, which delays, cuts and resets connections in tests. */
export function ensureToxiproxy(cacheDir: string, progress: Progress): Promise<string> {
  return ensureGoProgram(
    {
      title: 'Toxiproxy',
      name: 'toxiproxy-server',
      version: 'v2.12.0',
      package: 'github.com/Shopify/toxiproxy/v2/cmd/server',
      takes: '15 s, and two minutes more if Go must be installed first',
    },
    cacheDir,
    progress,
  )
}
