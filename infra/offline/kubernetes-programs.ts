/** Kustomize renders the Kubernetes manifests, kubeconform validates them. */
import { spawnSync } from 'node:child_process'
import type { Progress } from '@gateway-infra/system/progress'
import { ensureGoProgram } from './backing/go-program.ts'

const INSTALLED = [
  { version: ['kustomize', 'version'], build: ['kustomize', 'build'] },
  { version: ['kubectl', 'version', '--client'], build: ['kubectl', 'kustomize'] },
]

/** Command that renders a folder: `kustomize` or `kubectl` with Kustomize 5 if one is installed, else a binary built once. */
export async function ensureKustomize(cacheDir: string, progress: Progress): Promise<readonly string[]> {
  const installed = INSTALLED.find(({ version: [program = '', ...args] }) =>
    /\bv5\.\d/u.test(spawnSync(program, args, { encoding: 'utf8' }).stdout),
  )
  if (installed) return installed.build
  const program = { title: 'Kustomize', name: 'kustomize', version: 'v5.7.1', package: 'sigs.k8s.io/kustomize/kustomize/v5' }
  return [await ensureGoProgram({ ...program, takes: TAKES }, cacheDir, progress), 'build']
}

/** Path of kubeconform's binary. */
export function ensureKubeconform(cacheDir: string, progress: Progress): Promise<string> {
  const program = { title: 'kubeconform', name: 'kubeconform', version: 'v0.8.0' }
  const path = 'github.com/yannh/kubeconform/cmd/kubeconform'
  return ensureGoProgram({ ...program, package: path, takes: TAKES }, cacheDir, progress)
}

const TAKES = 'up to a minute, and two more if Go must be installed first'
