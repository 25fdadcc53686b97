/** Base images: the ones named by variables, else the official ones, else (without a registry) built from Debian packages. */
import { cp, mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import type { Context } from '@gateway-infra/system/command'
import { withLock } from '@gateway-infra/system/lock'
import { hasImage, pullImage, run } from '@gateway-infra/system/run'
import { UserError } from '@gateway-infra/system/user-error'
import { ensureGoProgram } from './backing/go-program.ts'
import { SETTINGS } from './backing/postgres.ts'
import { ensureRootfs } from './backing/rootfs.ts'
import { buildOnce, removeTree } from './build-once.ts'
import { bootstrapDebian } from './debian.ts'

type Place = Pick<Context, 'paths' | 'progress' | 'env'>

interface Base {
  readonly official: string
  /** Resolves to the image that the Dockerfile builds on (`FROM_IMAGE`). */
  readonly from?: (place: Place) => Promise<string>
  /** Files and folders that are copied next to the Dockerfile. */
  readonly files?: (place: Place) => Promise<readonly string[]>
}

const NPM_VERSION = '11.19.1'
const DEBIAN_IMAGE = 'payment-gateway-base/debian:airgap'
const ROOTFS_IMAGE = 'payment-gateway-base/rootfs:airgap'
/** What Node's binary needs besides the essential packages; CA certificates are for outgoing calls. */
const NODE_NEEDS = ['libstdc++6', 'libatomic1', 'ca-certificates']

/** By the variable that names another image. */
const BASES = {
  NODE_IMAGE: {
    official: 'node:24-slim',
    from: importDebian,
    files: async (place) => [process.execPath, await fetchNpm(place)],
  },
  MONGO_IMAGE: {
    official: 'mongo:8',
    from: importRootfs,
    files: async ({ paths, progress }) => [await ensureGoProgram('ferretdb', paths.cacheDir, progress)],
  },
  RABBITMQ_IMAGE: { official: 'rabbitmq:4-management', from: importRootfs },
  TOXIPROXY_IMAGE: {
    official: 'ghcr.io/shopify/toxiproxy:2.12.0',
    files: async ({ paths, progress }) => [await ensureGoProgram('toxiproxy-server', paths.cacheDir, progress)],
  },
} satisfies Readonly<Record<string, Base>>

/** Which images are needed: database and broker, plus Node's for services, plus the proxy for faults. */
const WANTED = {
  backing: ['MONGO_IMAGE', 'RABBITMQ_IMAGE'],
  services: ['NODE_IMAGE', 'MONGO_IMAGE', 'RABBITMQ_IMAGE'],
  faults: ['NODE_IMAGE', 'MONGO_IMAGE', 'RABBITMQ_IMAGE', 'TOXIPROXY_IMAGE'],
} as const

/** Makes sure that the images are on the engine; then sets their variables in this process and in the command's environment. */
export async function ensureBaseImages(place: Place, wanted: keyof typeof WANTED): Promise<void> {
  const { env, progress } = place
  let hasRegistry = true
  for (const variable of WANTED[wanted]) {
    const base: Base = BASES[variable]
    let name = env[variable] || base.official
    if (!(await hasImage(name))) {
      // If one registry cannot be reached, the others are not tried. One try: a registry that drops packets costs ten minutes.
      hasRegistry &&= await pullImage(name, progress, 1)
      if (!hasRegistry && name !== base.official)
        throw new UserError(`${variable} is ${name}, which is not here and cannot be pulled`)
      if (!hasRegistry) name = await make(place, base, variable.replace('_IMAGE', '').toLowerCase())
    }
    for (const target of [process.env, env]) target[variable] = name
  }
}

/** Builds `images/<short>.Dockerfile`, unless it was built before. Resolves to the image's name. */
async function make(place: Place, { official, from, files }: Base, short: string): Promise<string> {
  const name = `payment-gateway-base/${short}:airgap`
  if (await hasImage(name)) return name
  await place.progress.during(`building ${name} from Debian packages, since ${official} cannot be pulled`, async () => {
    const [contents = [], fromImage] = await Promise.all([files?.(place), from?.(place)])
    const context = await mkdtemp(join(tmpdir(), 'gateway-image-'))
    try {
      await cp(join(import.meta.dirname, 'images'), context, { recursive: true })
      const settings = Object.entries({ ...SETTINGS, port: '5432' }).map(([key, value]) => `${key} = '${value}'\n`)
      await writeFile(join(context, 'postgresql.conf'), settings.join(''))
      for (const file of contents) await cp(file, join(context, plainName(file)), { recursive: true, dereference: true })
      const where = ['--network', 'host', '--file', join(context, `${short}.Dockerfile`), '--tag', name]
      const buildArgs = fromImage === undefined ? [] : ['--build-arg', `FROM_IMAGE=${fromImage}`]
      await run('docker', ['build', ...where, ...buildArgs, context], { env: { DOCKER_BUILDKIT: '1' } })
    } finally {
      await removeTree(context)
    }
  })
  return name
}

/** A minimal Debian, built once (30 s) and kept as a tar file. */
async function importDebian({ paths: { cacheDir }, progress }: Place): Promise<string> {
  const logs = { log: progress.log, logFile: join(cacheDir, 'rootfs.log') }
  const title = 'building a minimal Debian (once; half a minute)'
  const tar = await buildOnce(join(cacheDir, 'debian.tar'), title, progress, (part) => bootstrapDebian(part, NODE_NEEDS, logs))
  return importOnce(DEBIAN_IMAGE, `docker import '${tar}' ${DEBIAN_IMAGE}`)
}

/** The root file system of the native engines, without their data. */
async function importRootfs({ paths, progress }: Place): Promise<string> {
  const rootfs = await ensureRootfs(paths.cacheDir, progress)
  return importOnce(ROOTFS_IMAGE, `tar -C '${rootfs}' --exclude=./data -c . | docker import - ${ROOTFS_IMAGE}`)
}

async function importOnce(image: string, command: string): Promise<string> {
  if (!(await hasImage(image))) await withLock(image, async () => run('bash', ['-euo', 'pipefail', '-c', command]))
  return image
}

/** npm, which the official Node image includes; pinned, since this machine's version may be old. */
async function fetchNpm({ paths, progress }: Place): Promise<string> {
  const quietly = ['--ignore-scripts', '--no-audit', '--no-fund', '--save-exact']
  const folder = await buildOnce(join(paths.cacheDir, 'npm'), 'fetching npm', progress, (part) =>
    run('npm', ['install', '--prefix', part, ...quietly, `npm@${NPM_VERSION}`]),
  )
  return join(folder, 'node_modules/npm')
}

/** The binary's name without the version. */
function plainName(file: string): string {
  return basename(file).replace(/-v\d+\.\d+\.\d+$/u, '')
}
