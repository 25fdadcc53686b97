/** Base images: the ones named by variables, else the official ones, else (without a registry) built from Debian packages. */
import type { Context } from '@gateway-infra/system/context'
import { ensureFerretDb } from './backing/ferretdb-build.ts'
import { ensureRootfs } from './backing/rootfs.ts'
import { succeeds } from '@gateway-infra/system/run'
import { UserError } from '@gateway-infra/system/user-error'
import { buildBase, fetchNpm, importDebian, importRootfs } from './build-base.ts'
import { ensureToxiproxy } from './toxiproxy-build.ts'

type Place = Pick<Context, 'paths' | 'progress' | 'env'>

interface Base {
  /** The variable that names another image. */
  readonly variable: 'NODE_IMAGE' | 'MONGO_IMAGE' | 'RABBITMQ_IMAGE' | 'TOXIPROXY_IMAGE'
  readonly official: string
  /** Builds the image under this name. */
  build(place: Place, name: string): Promise<void>
}

const PULL_WITHIN_MS = 600_000

const NODE: Base = {
  variable: 'NODE_IMAGE',
  official: 'node:24-slim',
  async build({ paths, progress }, name) {
    const debian = await importDebian(paths.cacheDir, progress)
    const npm = await fetchNpm(paths.cacheDir)
    await buildBase(name, 'node.Dockerfile', [process.execPath, npm], { DEBIAN_IMAGE: debian })
  },
}
const MONGO: Base = {
  variable: 'MONGO_IMAGE',
  official: 'mongo:8',
  async build({ paths, progress }, name) {
    const [rootfs, ferretdb] = await Promise.all([
      ensureRootfs(paths.cacheDir, progress),
      ensureFerretDb(paths.cacheDir, progress),
    ])
    await buildBase(name, 'mongo.Dockerfile', [ferretdb], { ROOTFS_IMAGE: await importRootfs(rootfs) })
  },
}
const RABBITMQ: Base = {
  variable: 'RABBITMQ_IMAGE',
  official: 'rabbitmq:4-management',
  async build({ paths, progress }, name) {
    const rootfs = await ensureRootfs(paths.cacheDir, progress)
    await buildBase(name, 'rabbitmq.Dockerfile', [], { ROOTFS_IMAGE: await importRootfs(rootfs) })
  },
}
const TOXIPROXY: Base = {
  variable: 'TOXIPROXY_IMAGE',
  official: 'ghcr.io/shopify/toxiproxy:2.12.0',
  async build({ paths, progress }, name) {
    await buildBase(name, 'toxiproxy.Dockerfile', [await ensureToxiproxy(paths.cacheDir, progress)], {})
  },
}

/** Which images are needed: database and broker, plus Node's for services, plus the proxy for faults. */
export const BASES = {
  backing: [MONGO, RABBITMQ],
  services: [NODE, MONGO, RABBITMQ],
  faults: [NODE, MONGO, RABBITMQ, TOXIPROXY],
} as const

/** Makes sure that the images are on the engine; then sets their variables in this process and in the command's environment. */
export async function ensureBaseImages(place: Place, wanted: keyof typeof BASES): Promise<void> {
  let hasRegistry = true
  for (const base of BASES[wanted]) {
    const chosen = place.env[base.variable]
    const name = chosen !== undefined && chosen !== '' ? chosen : base.official
    if (await isThere(name)) {
      choose(place, base, name)
      continue
    }
    // If one registry cannot be reached, the others are not tried.
    hasRegistry &&= await pulls(place, name)
    if (!hasRegistry && name !== base.official) {
      throw new UserError(`${base.variable} is ${name}, which is not here and cannot be pulled`)
    }
    choose(place, base, hasRegistry ? name : await make(place, base))
  }
}

async function make(place: Place, base: Base): Promise<string> {
  const short = base.variable.replace('_IMAGE', '').toLowerCase()
  const name = `payment-gateway-base/${short}:airgap`
  if (await isThere(name)) return name
  await place.progress.during(`building ${name} from Debian packages, since ${base.official} cannot be pulled`, async () =>
    base.build(place, name),
  )
  return name
}

function choose({ env }: Place, { variable }: Base, name: string): void {
  process.env[variable] = name
  env[variable] = name
}

async function pulls({ progress }: Place, name: string): Promise<boolean> {
  return progress.during(`pulling ${name}`, async () => succeeds('docker', ['pull', name], { timeoutMs: PULL_WITHIN_MS }))
}

async function isThere(name: string): Promise<boolean> {
  return succeeds('docker', ['image', 'inspect', name])
}
