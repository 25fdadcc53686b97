/** One environment: the objects of its three steps as Kustomize renders them, which kubeconform validates. */
import { execFileSync, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { parseAllDocuments } from 'yaml'
import { ensureGoProgram, ensureKustomize } from '@gateway-infra/offline/backing/go-program'
import { readPaths, ROOT } from '@gateway-infra/system/paths'
import { createProgress } from '@gateway-infra/system/progress'
import { mapsAt, textAt, type Manifest } from './objects.ts'

export const OVERLAYS = join(ROOT, 'infra/kubernetes/overlays')
const STEPS = ['platform', 'indexes', 'services']
const { cacheDir } = readPaths(process.env)
const [kustomize = '', ...build] = await ensureKustomize(cacheDir, createProgress())
const kubeconform = await ensureGoProgram('kubeconform', cacheDir, createProgress())
const SCHEMAS = ['-schema-location', join(import.meta.dirname, 'schemas/{{.ResourceKind}}{{.KindSuffix}}.json')]
/** A kind without a policy is skipped; so is one whose policy is no valid schema, so each policy has a test (rules.test.ts). */
const POLICIES = ['-ignore-missing-schemas', '-schema-location', join(import.meta.dirname, 'policies/{{.ResourceKind}}.json')]
/** Objects found valid. The tests check the same objects many times, each time with one change. */
const valid = new Set<string>()

/** The objects of all steps of an overlay's folder. @throws with Kustomize's message when it refuses the folder */
export function renderDeployment(folder: string): Manifest[] {
  return STEPS.flatMap((step) => {
    const text = execFileSync(kustomize, [...build, join(folder, step)], { encoding: 'utf8', stdio: 'pipe' })
    // Kustomize writes YAML 1.1, in which `0440` is octal, and refuses objects without a kind or a name.
    return parseAllDocuments(text, { version: '1.1' }).map((document) => document.toJS() as Manifest)
  })
}

/** Unknown fields are errors. */
export const schemas = (objects: readonly Manifest[]): string[] => validate(objects, SCHEMAS)
export const policies = (objects: readonly Manifest[]): string[] => validate(objects, POLICIES)

function validate(objects: readonly Manifest[], options: readonly string[]): string[] {
  const unchecked = objects.map((object) => JSON.stringify(object)).filter((text) => !valid.has(text + options.join()))
  const input = unchecked.join('\n---\n')
  const { stdout, stderr } = spawnSync(kubeconform, ['-strict', '-output', 'json', ...options], { input, encoding: 'utf8' })
  if (!stdout.startsWith('{')) throw new Error(`kubeconform failed: ${stderr}`)
  const invalid = mapsAt(JSON.parse(stdout), 'resources.*')
  if (invalid.length === 0) for (const text of unchecked) valid.add(text + options.join())
  return invalid.flatMap((object) => {
    const [whole = '', ...parts] = textAt(object, 'msg').split(/\s+- (?=at ')/u)
    // A part that only says that one of the parts below it failed is left out.
    const problems = parts.filter((part) => !/(?:validation|'allOf') failed$/u.test(part))
    return (problems.length > 0 ? problems : [whole]).map(
      (problem) => `${textAt(object, 'kind')} ${textAt(object, 'name')}: ${problem}`,
    )
  })
}
