/** Base images: the ones named by variables, else the official ones, else (without a registry) built from Debian packages. */
import type { Context } from '@gateway-infra/system/context'
import { succeeds } from '@gateway-infra/system/run'
import { UserError } from '@gateway-infra/system/user-error'
import { ensureFerretDb, ensureToxiproxy } from './backing/go-program.ts'
import { ensureRootfs } from './backing/rootfs.ts'
import { buildBase, fetchNpm, importDebian, importRootfs } from './build-base.ts'

type Place = Pick<Context, 'paths' | 'progress' | 'env'>

interface Base {
  readonly official: string
  /** Builds the image under this name. */
  build(place: Place, name: string): Promise<void>
}

const PULL_WITHIN_MS = 600_000

/** By the variable that names another image. */
const BASES = {
  NODE_IMAGE: {
    official: 'node:24-slim',
    async build({ paths: { cacheDir }, progress }, name) {
      const debian = await importDebian(cacheDir, progress)
      await buildBase(name, 'node.Dockerfile', [process.execPath, await fetchNpm(cacheDir, progress)], { DEBIAN_IMAGE: debian })
    },
  },
  MONGO_IMAGE: {
    official: 'mongo:8',
    async build({ paths: { cacheDir }, progress }, name) {
      const [rootfs, ferretdb] = await Promise.all([ensureRootfs(cacheDir, progress), ensureFerretDb(cacheDir, progress)])
      await buildBase(name, 'mongo.Dockerfile', [ferretdb], { ROOTFS_IMAGE: await importRootfs(rootfs) })
    },
  },
  RABBITMQ_IMAGE: {
    official: 'rabbitmq:4-management',
    async build({ paths: { cacheDir }, progress }, name) {
      const rootfs = await ensureRootfs(cacheDir, progress)
      await buildBase(name, 'rabbitmq.Dockerfile', [], { ROOTFS_IMAGE: await importRootfs(rootfs) })
    },
  },
  TOXIPROXY_IMAGE: {
    official: 'ghcr.io/shopify/toxiproxy:2.12.0',
    async build({ paths: { cacheDir }, progress }, name) {
      await buildBase(name, 'toxiproxy.Dockerfile', [await ensureToxiproxy(cacheDir, progress)], {})
    },
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
    const given = env[variable]
    let name = given !== undefined && given !== '' ? given : base.official
    if (!(await isThere(name))) {
      // If one registry cannot be reached, the others are not tried.
      hasRegistry &&= await progress.during(`pulling ${name}`, () =>
        succeeds('docker', ['pull', name], { timeoutMs: PULL_WITHIN_MS }),
      )
      if (!hasRegistry && name !== base.official)
        throw new UserError(`${variable} is ${name}, which is not here and cannot be pulled`)
      if (!hasRegistry) name = await make(place, base, variable)
    }
    for (const target of [process.env, env]) target[variable] = name
  }
}

async function make(place: Place, base: Base, variable: string): Promise<string> {
  const name = `payment-gateway-base/${variable.replace('_IMAGE', '').toLowerCase()}:airgap`
  const title = `building ${name} from Debian packages, since ${base.official} cannot be pulled`
  if (!(await isThere(name))) await place.progress.during(title, () => base.build(place, name))
  return name
}

async function isThere(name: string): Promise<boolean> {
  return succeeds('docker', ['image', 'inspect', name])
}
