/** Debian packages: on this machine, or unpacked into a folder. */
import { accessSync, constants } from 'node:fs'
import { withLock } from '@gateway-infra/system/lock'
import type { Log } from '@gateway-infra/system/progress'
import { run, withOneRetry } from '@gateway-infra/system/run'

const LEFT_OUT = ['/usr/share/doc', '/usr/share/locale', '/usr/share/man', '/usr/lib/postgresql/18/lib/bitcode']
const SMALLER = LEFT_OUT.map((folder) => `--dpkgopt=path-exclude=${folder}/*`)

export interface PackageLogs {
  readonly log: Log
  /** The package manager's output is appended here. */
  readonly logFile: string
}

/** Installs on this machine the packages that `missing` names. */
export async function installPackages(missing: () => readonly string[], { log, logFile }: PackageLogs): Promise<void> {
  // Two builds may need it at once, and apt allows only one writer.
  await withLock('apt-get', async () => {
    const names = missing()
    if (names.length === 0) return
    log(`installing ${names.join(', ')} from Debian`)
    const options = { logFile, env: { DEBIAN_FRONTEND: 'noninteractive' } }
    const patient = ['-o', 'DPkg::Lock::Timeout=300', '-o', 'Acquire::Retries=2']
    await withOneRetry(
      async () => {
        await run('apt-get', [...patient, 'update'], options)
        await run('apt-get', [...patient, 'install', '-y', '--no-install-recommends', ...names], options)
      },
      () => log('installation failed, retrying'),
    )
  })
}

/** The packages if one of these programs is missing. */
export function unlessRunnable(programs: readonly string[], packages: readonly string[]): readonly string[] {
  return programs.every(isRunnable) ? [] : packages
}

export function isRunnable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/**
 * Installs Debian sid with some packages into `target`, a folder or a tar file. On the machine itself only `mmdebstrap` is
 * installed. The variant `extract` contains only the files of these packages.
 */
export async function bootstrapDebian(
  target: string,
  packages: readonly string[],
  logs: PackageLogs,
  variant: 'essential' | 'extract' = 'essential',
): Promise<void> {
  await installPackages(() => unlessRunnable(['/usr/bin/mmdebstrap'], ['mmdebstrap', 'debian-archive-keyring']), logs)
  const apt = ['Acquire::Check-Valid-Until "false"', 'Acquire::Retries "2"', 'APT::Install-Recommends "false"']
  const options = [`--variant=${variant}`, ...apt.map((option) => `--aptopt=${option}`), ...SMALLER]
  await run('mmdebstrap', [...options, `--include=${packages.join(',')}`, 'sid', target], { logFile: logs.logFile })
}
