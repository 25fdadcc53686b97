/** One environment as Kustomize renders it: the objects of its three steps, in the order in which they are applied. */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { parseAllDocuments } from 'yaml'
import { ensureKustomize } from '@gateway-infra/offline/kubernetes-programs'
import { readPaths, ROOT } from '@gateway-infra/system/paths'
import { createProgress } from '@gateway-infra/system/progress'
import type { Manifest } from './objects.ts'

export const OVERLAYS = join(ROOT, 'infra/kubernetes/overlays')
const STEPS = ['platform', 'indexes', 'services']
const [kustomize = '', ...build] = await ensureKustomize(readPaths(process.env).cacheDir, createProgress())

/** The objects of all steps of an overlay's folder. @throws with Kustomize's message when it refuses the folder */
export function renderDeployment(folder: string): Manifest[] {
  return STEPS.flatMap((step) => {
    const text = execFileSync(kustomize, [...build, join(folder, step)], { encoding: 'utf8', stdio: 'pipe' })
    // Kustomize writes YAML 1.1, in which `0440` is octal, and refuses objects without a kind or a name.
    return parseAllDocuments(text, { version: '1.1' }).map((document) => document.toJS() as Manifest)
  })
}
