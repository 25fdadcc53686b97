import { ensureGoProgram } from './backing/go-program.ts'
import type { Progress } from '@gateway-infra/system/progress'

/** Path of the Toxiproxy server's binary: it slows down, cuts and resets connections, for tests of what that does to others. */
export function ensureToxiproxy(cacheDir: string, progress: Progress): Promise<string> {
  return ensureGoProgram(
    {
      title: 'Toxiproxy',
      name: 'toxiproxy-server',
      version: 'v2.12.0',
      package: 'github.com/Shopify/toxiproxy/v2/cmd/server',
      takes: 'a quarter of a minute, and two more where Go has to be had first',
    },
    cacheDir,
    progress,
  )
}
