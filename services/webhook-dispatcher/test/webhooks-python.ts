/** A Python with the published Standard Webhooks library, for tests that verify signatures as merchants do. */
import { join } from 'node:path'
import { readPaths } from '@gateway-infra/system/paths'
import { withLock } from '@gateway-infra/system/lock'
import { CommandFailed, run, succeeds } from '@gateway-infra/system/run'

/** From PyPI; MIT, without dependencies. */
const LIBRARY = { name: 'standardwebhooks', version: '1.1.0' }

/** The interpreter's path, or the reason why it is missing, for the title of skipped tests. */
export type WebhooksPython = { readonly python: string } | { readonly missing: string }

export interface WebhooksPythonOptions {
  /** The Python that creates the virtual environment. */
  readonly python3?: string
  /** Directory of the virtual environment. */
  readonly directory?: string
}

/**
 * Creates a virtual environment in `.local/python` once and installs the library into it. Without Python, its `venv` module or
 * a package index, the result says what is missing; that is not an error.
 */
export async function ensureWebhooksPython(options: WebhooksPythonOptions = {}): Promise<WebhooksPython> {
  const { python3 = 'python3', directory = join(readPaths(process.env).cacheDir, 'python') } = options
  const python = join(directory, 'bin/python')
  return withLock(`python in ${directory}`, async () => {
    if (await hasLibrary(python)) return { python }
    if (!(await succeeds(python3, ['-c', 'import venv, ensurepip']))) return { missing: 'no python3 with venv and pip' }
    try {
      await run(python3, ['-m', 'venv', '--clear', directory], { timeoutMs: 120_000 })
      const patience = ['--disable-pip-version-check', '--retries', '1', '--timeout', '15']
      await run(python, ['-m', 'pip', 'install', '--quiet', ...patience, `${LIBRARY.name}==${LIBRARY.version}`], {
        timeoutMs: 120_000,
      })
    } catch (error) {
      if (error instanceof CommandFailed) return { missing: `${LIBRARY.name} ${LIBRARY.version} could not be installed` }
      throw error
    }
    return (await hasLibrary(python)) ? { python } : { missing: `${LIBRARY.name} was installed but cannot be imported` }
  })
}

function hasLibrary(python: string): Promise<boolean> {
  const check = `import ${LIBRARY.name}, importlib.metadata as m; assert m.version("${LIBRARY.name}") == "${LIBRARY.version}"`
  return succeeds(python, ['-c', check])
}
