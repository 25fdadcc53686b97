/** Builds base images without a registry: imports root file systems from mmdebstrap, Dockerfiles add the rest. */
import { cp, mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { SETTINGS } from './backing/postgres.ts'
import type { Progress } from '@gateway-infra/system/progress'
import { withLock } from '@gateway-infra/system/lock'
import { run, succeeds } from '@gateway-infra/system/run'
import { buildOnce } from './build-once.ts'
import { bootstrapDebian } from './debian.ts'
import { removeTree } from './files.ts'

const NPM_VERSION = '11.19.1'
const DEBIAN_IMAGE = 'payment-gateway-base/debian:airgap'
const ROOTFS_IMAGE = 'payment-gateway-base/rootfs:airgap'
const IMAGES = join(import.meta.dirname, 'images')
/** What Node's binary needs besides the essential packages; CA certificates are for outgoing calls. */
const NODE_NEEDS = ['libstdc++6', 'libatomic1', 'ca-certificates']

/** Builds one of `images/` with these files and folders next to its Dockerfile. */
export async function buildBase(
  name: string,
  dockerfile: string,
  files: readonly string[],
  args: Record<string, string>,
): Promise<void> {
  const context = await mkdtemp(join(tmpdir(), 'gateway-image-'))
  try {
    await cp(IMAGES, context, { recursive: true })
    const settings = Object.entries({ ...SETTINGS, port: '5432' }).map(([key, value]) => `${key} = '${value}'\n`)
    await writeFile(join(context, 'postgresql.conf'), settings.join(''))
    for (const file of files) await cp(file, join(context, plainName(file)), { recursive: true, dereference: true })
    const buildArgs = Object.entries(args).flatMap(([key, value]) => ['--build-arg', `${key}=${value}`])
    const where = ['--network', 'host', '--file', join(context, dockerfile), '--tag', name]
    await run('docker', ['build', ...where, ...buildArgs, context], { env: { DOCKER_BUILDKIT: '1' } })
  } finally {
    await removeTree(context)
  }
}

/** A minimal Debian, built once (30 s) and kept as a tar file. */
export async function importDebian(cacheDir: string, progress: Progress): Promise<string> {
  const logs = { log: progress.log, logFile: join(cacheDir, 'rootfs.log') }
  const title = 'building a minimal Debian (once; half a minute)'
  const tar = await buildOnce(join(cacheDir, 'debian.tar'), title, progress, (part) => bootstrapDebian(part, NODE_NEEDS, logs))
  await importOnce(DEBIAN_IMAGE, `docker import '${tar}' ${DEBIAN_IMAGE}`)
  return DEBIAN_IMAGE
}

/** The root file system of the native engines, without their data. */
export async function importRootfs(rootfs: string): Promise<string> {
  await importOnce(ROOTFS_IMAGE, `tar -C '${rootfs}' --exclude=./data -c . | docker import - ${ROOTFS_IMAGE}`)
  return ROOTFS_IMAGE
}

/** npm, which the official Node image includes; pinned, since this machine's version may be old. */
export async function fetchNpm(cacheDir: string, progress: Progress): Promise<string> {
  const quietly = ['--ignore-scripts', '--no-audit', '--no-fund', '--save-exact']
  const folder = await buildOnce(join(cacheDir, 'npm'), 'fetching npm', progress, (part) =>
    run('npm', ['install', '--prefix', part, ...quietly, `npm@${NPM_VERSION}`]),
  )
  return join(folder, 'node_modules/npm')
}

/** Imports the image unless it exists. */
async function importOnce(image: string, command: string): Promise<void> {
  if (await succeeds('docker', ['image', 'inspect', image])) return
  await withLock(image, async () => run('bash', ['-euo', 'pipefail', '-c', command]))
}

/** The binary's name without the version. */
function plainName(file: string): string {
  return basename(file).replace(/-v\d+\.\d+\.\d+$/u, '')
}
