/** One environment, as its three kustomizations make it: everything that would be applied, in the order of applying. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Manifest } from './manifests.ts'
import { render } from './render.ts'

const ROOT = join(import.meta.dirname, '../..')
export const OVERLAYS = join(import.meta.dirname, '../../infra/kubernetes/overlays')

/** What stands first is what the next one stands on. */
export const STEPS = ['platform', 'indexes', 'services'] as const

/** The objects of all steps of an overlay's folder. */
export function renderDeployment(folder: string): Manifest[] {
  return STEPS.flatMap((step) => render(join(folder, step)))
}

/** What the images bring: the start of every container's environment. */
export function readImageEnvironment(): Readonly<Record<string, string>> {
  const lines = readFileSync(join(ROOT, 'infra/images/Dockerfile'), 'utf8').matchAll(/^ENV (.+)$/gmu)
  const pairs = [...lines].flatMap(([, line = '']) => [...line.matchAll(/(\w+)=(?:"([^"]*)"|(\S+))/gu)])
  return Object.fromEntries(pairs.map(([, name = '', quoted, bare]) => [name, quoted ?? bare ?? '']))
}

/** The services that have an image: those that have a start of their own. */
export function builtServices(): string[] {
  return globSync('services/*/src/main.ts', { cwd: ROOT }).map((file) => file.split('/')[1] ?? '')
}

/** Of these, those that have indexes to build. */
export function indexedServices(): string[] {
  return globSync('services/*/src/build-indexes.ts', { cwd: ROOT }).map((file) => file.split('/')[1] ?? '')
}
