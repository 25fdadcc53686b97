/** Python packages for tests and tools: each set in a virtual environment of its own, made once. */
import { join } from 'node:path'
import { withLock } from '@gateway-infra/system/lock'
import { CommandFailed, run, succeeds } from '@gateway-infra/system/run'

/** `directory` is that of the virtual environment, which `python3` creates. */
export interface PythonOptions {
  readonly directory: string
  readonly python3?: string
}

/** The interpreter's path, or the reason why it is missing, in words for a title or a message. */
export type PythonWithPackage = { readonly python: string } | { readonly missing: string }

/** Without Python, its `venv` module or a package index, the result says what is missing; that is not an error. */
export async function ensurePython(
  { name, version }: { readonly name: string; readonly version: string },
  { directory, python3 = 'python3' }: PythonOptions,
): Promise<PythonWithPackage> {
  const python = join(directory, 'bin/python')
  const check = `import ${name}, importlib.metadata as m; assert m.version("${name}") == "${version}"`
  const isInstalled = () => succeeds(python, ['-c', check])
  return withLock(`python in ${directory}`, async () => {
    if (await isInstalled()) return { python }
    if (!(await succeeds(python3, ['-c', 'import venv, ensurepip']))) return { missing: 'no python3 with venv and pip' }
    try {
      await run(python3, ['-m', 'venv', '--clear', directory], { timeoutMs: 120_000 })
      const patience = ['--disable-pip-version-check', '--retries', '1', '--timeout', '15']
      await run(python, ['-m', 'pip', 'install', '--quiet', ...patience, `${name}==${version}`], { timeoutMs: 180_000 })
    } catch (error) {
      if (error instanceof CommandFailed) return { missing: `${name} ${version} could not be installed` }
      throw error
    }
    return (await isInstalled()) ? { python } : { missing: `${name} was installed but cannot be imported` }
  })
}
