/** Programs that are built from their Go modules, with Debian's compiler if the machine has no Go. */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { copyFile, mkdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Progress } from '@gateway-infra/system/progress'
import { run, succeeds } from '@gateway-infra/system/run'
import { buildOnce, removeTree } from '../build-once.ts'
import { bootstrapDebian, type PackageLogs } from '../debian.ts'

const A_MINUTE = 'up to a minute, and two more if Go must be installed first'
/** By the name of the binary: the module's version, the path of the command's package, and how long the build takes. */
const PROGRAMS = {
  ferretdb: { version: 'v2.7.0', path: 'github.com/FerretDB/FerretDB/v2/cmd/ferretdb', takes: '1 to 3 minutes' },
  'toxiproxy-server': {
    version: 'v2.12.0',
    path: 'github.com/Shopify/toxiproxy/v2/cmd/server',
    takes: '15 s, and two minutes more if Go must be installed first',
  },
  kustomize: { version: 'v5.7.1', path: 'sigs.k8s.io/kustomize/kustomize/v5', takes: A_MINUTE },
  kubeconform: { version: 'v0.8.0', path: 'github.com/yannh/kubeconform/cmd/kubeconform', takes: A_MINUTE },
} as const

/** Command that renders a folder: `kustomize` or `kubectl` with Kustomize 5 if one is installed, else a binary built once. */
export async function ensureKustomize(cacheDir: string, progress: Progress): Promise<readonly string[]> {
  const isInstalled = (program: string, args: readonly string[]): boolean =>
    /\bv5\.\d/u.test(spawnSync(program, args, { encoding: 'utf8' }).stdout)
  if (isInstalled('kustomize', ['version'])) return ['kustomize', 'build']
  if (isInstalled('kubectl', ['version', '--client'])) return ['kubectl', 'kustomize']
  return [await ensureGoProgram('kustomize', cacheDir, progress), 'build']
}

/** Path of a program's binary. Builds it from its Go module if necessary, with Debian's compiler if the machine has no Go. */
export async function ensureGoProgram(name: keyof typeof PROGRAMS, cacheDir: string, progress: Progress): Promise<string> {
  const { version, takes, path } = PROGRAMS[name]
  const logs = { log: progress.log, logFile: join(cacheDir, `${name}.log`) }
  const title = `building ${name} ${version} (once; ${takes})`
  return buildOnce(join(cacheDir, 'bin', `${name}-${version}`), title, progress, async (binary) => {
    const folder = join(cacheDir, `${name}.building`)
    await removeTree(folder)
    const install = ['install', `${path}@${version}`]
    const build = (await succeeds('go', ['version'])) ? buildHere : buildInDebian
    // Go names the binary after the package's folder, and leaves out a folder of the major version such as `v5`.
    await copyFile(join(await build(install, folder, logs), basename(path.replace(/\/v\d+$/u, ''))), binary)
    await removeTree(folder)
  })
}

async function buildHere(install: readonly string[], folder: string, { logFile }: PackageLogs): Promise<string> {
  await mkdir(folder, { recursive: true })
  await run('go', install, { logFile, env: { GOBIN: folder, CGO_ENABLED: '0' } })
  return folder
}

/** Builds without Go on the machine: with Debian's compiler in a temporary root file system. */
async function buildInDebian(install: readonly string[], folder: string, logs: PackageLogs): Promise<string> {
  logs.log('no Go compiler found: using the one from Debian')
  await bootstrapDebian(folder, ['golang-go', 'ca-certificates'], logs)
  await copyFile('/etc/resolv.conf', join(folder, 'etc/resolv.conf'))
  const certificates = process.env['SSL_CERT_FILE'] ?? '/etc/ssl/certs/ca-certificates.crt'
  if (existsSync(certificates)) await copyFile(certificates, join(folder, 'etc/ssl/certs/ca-certificates.crt'))
  // Without /proc, Go cannot find its own path.
  const go = { GOROOT: '/usr/lib/go', GOBIN: '/tmp', GOPATH: '/tmp/go', GOCACHE: '/tmp/go-build', CGO_ENABLED: '0' }
  const env = { ...go, HOME: '/tmp', PATH: '/usr/sbin:/usr/bin:/sbin:/bin' }
  await run('chroot', [folder, '/usr/bin/go', ...install], { logFile: logs.logFile, env })
  return join(folder, 'tmp')
}
