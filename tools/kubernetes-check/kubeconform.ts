/** Validates objects with kubeconform: against their schemas, in which unknown fields are errors, and against our policies. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { ensureKubeconform } from '@gateway-infra/offline/kubernetes-programs'
import { readPaths } from '@gateway-infra/system/paths'
import { createProgress } from '@gateway-infra/system/progress'
import { mapsAt, textAt, type Manifest } from './objects.ts'

const kubeconform = await ensureKubeconform(readPaths(process.env).cacheDir, createProgress())
const SCHEMAS = ['-schema-location', join(import.meta.dirname, 'schemas/{{.ResourceKind}}{{.KindSuffix}}.json')]
/** A kind without a policy is skipped; so is one whose policy is no valid schema, so each policy has a test (rules.test.ts). */
const POLICIES = ['-ignore-missing-schemas', '-schema-location', join(import.meta.dirname, 'policies/{{.ResourceKind}}.json')]
/** Objects found valid. The tests check the same objects many times, each time with one change. */
const valid = new Set<string>()

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
