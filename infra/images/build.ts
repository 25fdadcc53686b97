/** Builds every image of docker-compose.yml and reports their sizes. */
import { join } from 'node:path'
import { existsSync } from 'node:fs'
import type { Context } from '@gateway-infra/system/command'
import { ROOT } from '@gateway-infra/system/paths'
import { run, withOneRetry } from '@gateway-infra/system/run'

/** Debian's CA certificates. Behind a proxy with its own CA, npm in a build needs them too. */
const AUTHORITIES = '/etc/ssl/certs/ca-certificates.crt'
const BUILD_WITHIN_MS = 900_000

/** Builds the images; the output is in `images.log` of the cache directory. Resolves to a line with the size of each. */
export async function buildImages({ paths, progress, env }: Context): Promise<string[]> {
  const file = env['BUILD_CA_FILE'] ?? env['NODE_EXTRA_CA_CERTS'] ?? AUTHORITIES
  const ca: Record<string, string> = existsSync(file) ? { BUILD_CA_FILE: file } : {}
  const revision = await run('git', ['-C', ROOT, 'rev-parse', 'HEAD']).catch(() => 'unknown')
  const options = {
    cwd: ROOT,
    env: { ...ca, REVISION: revision.trim(), COMPOSE_BAKE: 'false' },
    logFile: join(paths.cacheDir, 'images.log'),
    timeoutMs: BUILD_WITHIN_MS,
  }
  await progress.during('building the images', async () =>
    withOneRetry(
      async () => run('docker', ['compose', '--progress', 'plain', 'build'], options),
      () => progress.log('the build failed, retrying'),
    ),
  )
  const baseBytes = await sizeOf(env['NODE_IMAGE'] ?? 'node:24-slim')
  const names = await run('docker', ['compose', 'config', '--images'], { cwd: ROOT })
  const own = [...new Set(names.trim().split('\n'))].filter((name) => name.startsWith('payment-gateway/')).sort()
  const describe = async (name: string): Promise<string> => {
    const bytes = await sizeOf(name)
    const [all, added] = [bytes, bytes - baseBytes].map((size) => `${(size / 1_000_000).toFixed(0).padStart(4)} MB`)
    return `${name.padEnd(42)} ${all}, ${added} above its base`
  }
  return Promise.all(own.map(describe))
}

async function sizeOf(image: string): Promise<number> {
  return Number(await run('docker', ['image', 'inspect', '--format', '{{.Size}}', image]))
}
